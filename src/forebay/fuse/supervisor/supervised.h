// The server's side of its supervisor: tells it how the mount is, and starts another one when it was killed.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/state/kept_state.h"
#include "forebay/fuse/supervisor/peer.h"
#include "forebay/fuse/supervisor/restart_limit.h"

namespace forebay::fuse {

struct SupervisedOptions {
  std::shared_ptr<KeptState> kept;
  /// Starts a supervisor with what this process has of the mount.
  std::function<Result<Peer>()> start_supervisor;
  /// Ends the mount in order; it is called once at most, on a thread of its own.
  std::function<void()> stop;
};

/// Thread safe.
class Supervised {
 public:
  Supervised(Peer supervisor, SupervisedOptions options);
  ~Supervised();
  Supervised(const Supervised&) = delete;
  Supervised& operator=(const Supervised&) = delete;

  /// The mount answers.
  void say_ready();
  /// It is about to end, so that no process goes on with it.
  void say_ending();
  /// This process ends now, with an error or in order; false if nobody hears it. Afterwards no supervisor is
  /// started.
  bool say_ended(const Status& how);

 private:
  void watch();
  bool hear(const Peer& supervisor);
  bool replace_supervisor();
  bool wait_for(int socket, int64_t longest_ns) const;
  std::shared_ptr<Peer> supervisor();

  const SupervisedOptions options_;
  const FileDescriptor bell_;  // can be read once the thread is to end
  RestartLimit limit_;         // the thread's
  Mutex mutex_;
  std::shared_ptr<Peer> supervisor_ FOREBAY_GUARDED_BY(mutex_);
  bool is_ready_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_ending_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace forebay::fuse
