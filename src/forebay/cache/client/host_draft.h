// A process's side of objects that it writes in parts, or that are large: it gives their bytes to the daemon
// as it writes them, which keeps them aside until the store has said which version they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/client/host_connector.h"
#include "forebay/cache/messages/host_messages.h"

namespace forebay::cache {

/// One object. Thread safe; must be owned by a shared_ptr. Keeping the bytes is no duty:
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

}  // namespace forebay::cache
