// The bytes of objects that a process writes in parts, or that are large: it gives them to the daemon as it
// writes them, and the daemon keeps them aside until the store has said which version they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/host/host_connector.h"
#include "forebay/cache/host/host_messages.h"
#include "forebay/cache/host/host_stores.h"
#include "forebay/cache/store/draft.h"

namespace forebay::cache {

/// A process's side: one object. Thread safe; must be owned by a shared_ptr. Keeping the bytes is no duty:
/// once the daemon has no room for them, or has gone, nothing is sent any more.
class HostDraft : public std::enable_shared_from_this<HostDraft> {
 public:
  /// Without a client nothing is kept.
  HostDraft(StoreAtHost::Place host, std::string uri);
  /// What was given is dropped, unless finish() has named it.
  ~HostDraft();
  HostDraft(const HostDraft&) = delete;
  HostDraft& operator=(const HostDraft&) = delete;

  using Done = absl::AnyInvocable<void()>;
  /// Gives the bytes that follow. They must stay until `done` is called, inline or on the connection's
  /// thread: when the daemon has them, or will not. Not before the call for the part in front has returned.
  void append(Bytes part, const storage::CallContext& context, Done done);

  /// The number by which ChangedObject names the draft; 0 if the daemon does not have all that was appended.
  uint64_t finish();
  /// Where the draft is.
  const StoreAtHost::Place& host() const { return host_; }

 private:
  void give(uint64_t offset_bytes, Bytes part, const storage::CallContext& context, Done done);

  const StoreAtHost::Place host_;
  const std::string uri_;
  const uint64_t number_;
  Mutex mutex_;
  uint64_t end_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_kept_ FOREBAY_GUARDED_BY(mutex_);
  bool is_named_ FOREBAY_GUARDED_BY(mutex_) = false;
};

/// The daemon's side: the drafts of one process. Thread safe.
class HostDrafts {
 public:
  static constexpr size_t kMostDrafts = 256;

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
