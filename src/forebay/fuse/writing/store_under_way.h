// An object on its way to its store, which goes on when nobody waits for it any more.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"

namespace forebay::fuse {

/// Thread safe.
class StoreUnderWay {
 public:
  /// Begins to write `content`, which must not change until it is done.
  static std::shared_ptr<StoreUnderWay> write(const storage::ObjectAddress& address,
                                              std::shared_ptr<const std::vector<std::byte>> content,
                                              storage::WriteOptions options, int64_t deadline_ns);
  /// Begins to make an object of all parts of a writer, each of which is done.
  static std::shared_ptr<StoreUnderWay> commit(const storage::ObjectAddress& address,
                                               std::unique_ptr<storage::ObjectWriter> writer,
                                               int64_t deadline_ns);

  /// Whether it was sent in parts, which are gone if it fails.
  bool was_sent() const { return writer_ != nullptr; }
  /// Waits until it is done. `cancelled` or deadline_exceeded, and nothing in `made`, if it is not wanted any
  /// more before that.
  Status wait(const storage::CallContext& context, std::optional<Result<storage::ObjectStat>>* made);

 private:
  explicit StoreUnderWay(const storage::ObjectAddress& address)
      : store_(address.store), uri_(address.uri()) {}
  void end(Result<storage::ObjectStat> made);

  const std::shared_ptr<storage::ObjectStore> store_;  // outlives the writer
  const std::string uri_;
  std::shared_ptr<const std::vector<std::byte>> content_;
  std::unique_ptr<storage::ObjectWriter> writer_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Result<storage::ObjectStat>> made_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::fuse
