// The daemon's side of objects that a process writes in parts, or that are large (client/host_draft.h): their
// bytes are kept aside until the store has said which version they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/drafts/draft.h"
#include "forebay/cache/hosted/host_stores.h"
#include "forebay/cache/messages/host_messages.h"

namespace forebay::cache {

/// The daemon's side: the drafts of one process. Thread safe.
class HostDrafts {
 public:
  static constexpr size_t kMaxDrafts = 256;

  /// Writes a part on a thread of the cache, which then calls `done`. resource_exhausted where there is no
  /// room, or a part in front of it was not kept.
  void add(const CachedAddress& address, const DraftPart& part, storage::ReadBytes content,
           std::function<void(const Status&)> done);
  /// The object's bytes, if all `size_bytes` of them are there. The draft is gone then.
  Result<storage::ReadBytes> finish(uint64_t draft, uint64_t size_bytes);
  void drop(uint64_t draft);
  void drop_all();

 private:
  struct Kept {
    Mutex mutex;
    std::unique_ptr<Draft> draft FOREBAY_GUARDED_BY(mutex);  // null if its path is not cached
  };

  Result<std::shared_ptr<Kept>> find_or_begin(const CachedAddress& address, uint64_t draft);
  std::shared_ptr<Kept> take(uint64_t draft);

  Mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<Kept>> drafts_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cache
