// A store that protects the one behind it: no more requests and bytes a second than it is granted, over all
// callers that share the limiter.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/remote/rate_limiter.h"

namespace forebay::storage {

/// Thread safe. Stats, reads, pages of listings, writes, removals, renames, copies, appended parts and
/// commits are one request each; bytes are those of reads, writes and parts. Reads to the end of an object
/// are charged when their length is known.
class ThrottledStore final : public ForwardingStore {
 public:
  ThrottledStore(std::shared_ptr<ObjectStore> inner, std::shared_ptr<RateLimiter> limiter);

  void stat(std::string key, const CallContext& context, StatCallback done) override;
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  void remove_many(std::vector<std::string> keys, const CallContext& context,
                   RemoveManyCallback each) override;
  void rename(MoveRequest request, const CallContext& context, StatCallback done) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;

 private:
  /// Calls `start(store)` when it may go, else `done` with the error.
  template <class Done, class Start>
  void pass(std::string uri, uint64_t bytes, const CallContext& context, Done done, Start start);

  const std::shared_ptr<ObjectStore> store_;
  const std::shared_ptr<RateLimiter> limiter_;
};

}  // namespace forebay::storage
