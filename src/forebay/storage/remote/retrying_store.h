// A store that tries again what may work later: calls that fail as `unavailable`, when the store asked to be
// left alone, or with exponential backoff and full jitter.
//
// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/remote/timer.h"

namespace forebay::storage {

struct RetryOptions {
  int max_attempts = 6;  // the first one included
  int64_t first_delay_ns = 100'000'000;
  int64_t max_delay_ns = 10'000'000'000;
  uint64_t seed = 0;  // of the jitter; 0: another one in each process
};

/// How long to wait after the `attempt`-th failure (from 1): a uniform `draw` in [0, 1) of the backoff,
/// behind the time that the store asked for.
int64_t retry_delay_ns(const RetryOptions& options, int attempt, double draw,
                       std::optional<int64_t> asked_for_ns);

/// Thread safe. Tries stats, reads, pages of listings and unconditional writes again; what has an effect that
/// a second attempt could not tell from its own (conditional writes, renames, removals, parts) is tried once.
/// Waiting holds no thread, ends with the call's token, and is not begun where its deadline leaves no time.
class RetryingStore final : public ForwardingStore {
 public:
  explicit RetryingStore(std::shared_ptr<ObjectStore> inner, RetryOptions options = {},
                         Timer& timer = process_timer());

  void stat(std::string key, const CallContext& context, StatCallback done) override;
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;

  /// What a call's attempts share; lives as long as they do.
  struct Policy;

 private:
  const std::shared_ptr<ObjectStore> store_;
  const std::shared_ptr<Policy> policy_;
};

}  // namespace forebay::storage
