// A store that tries again what may work later: calls that fail as `unavailable`, when the store asked to be
// left alone, or with exponential backoff and full jitter.
//
// Source: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/remote/retried_call.h"

namespace forebay::storage {

/// Thread safe. Tries stats, reads, pages of listings, removals, and unconditional writes and copies again:
/// an object that an earlier attempt may have removed is removed when it is not there. What has an effect
/// that a second attempt could not tell from its own (conditional writes, renames, parts) is tried once.
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
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;
  void remove_many(std::vector<std::string> keys, const CallContext& context,
                   RemoveManyCallback each) override {
    store_->remove_many(std::move(keys), context, std::move(each));
  }

 private:
  const std::shared_ptr<ObjectStore> store_;
  const std::shared_ptr<RetryPolicy> policy_;
};

}  // namespace forebay::storage
