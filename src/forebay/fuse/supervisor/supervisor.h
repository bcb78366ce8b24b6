// Has a mount outlive the process that serves it: holds the descriptor and the state, does nothing with them,
// and starts another server when one was killed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "forebay/base/clock.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/base/units.h"
#include "forebay/fuse/mounts/mount_lines.h"
#include "forebay/fuse/supervisor/peer.h"
#include "forebay/fuse/supervisor/restart_limit.h"

namespace forebay::fuse {

struct SupervisorOptions {
  MountLine mount;
  FileDescriptor device;
  FileDescriptor state;
  FileDescriptor signals;  // can be read once the mount is to end
  /// Starts a server with the device and the state. A careful one fails what others may have died of.
  std::function<Result<Peer>(bool is_careful)> start_server;
  /// Called when the first server is ready; an error ends the mount.
  std::function<Status()> on_ready;
  /// How long a server may take to end a mount, before it is killed.
  int64_t until_killed_ns = 10 * kSecond;
};

/// For a process with one thread.
class Supervisor {
 public:
  /// `server` if one runs already.
  explicit Supervisor(SupervisorOptions options, std::optional<Peer> server = std::nullopt);

  /// Returns once the mount has gone: in order, or by the error with which it ended.
  Status run();

 private:
  /// When the next thing is due that nobody says.
  int64_t next_due_ns() const;
  void wait();
  void do_what_is_due();
  void start_server();
  void hear_server();
  void stop();
  void note_end();
  void note_death(const Status& how);
  bool has_gone() const;

  SupervisorOptions options_;
  std::optional<Peer> server_;
  RestartLimit limit_;
  bool was_ready_;
  bool is_ending_ = false;  // what ends now is not started again
  bool is_over_ = false;
  std::optional<Status> last_word_;  // of the server
  Status result_;
  int64_t next_start_ns_ = 0;
  int64_t next_kill_ns_ = 0;  // 0: never
};

}  // namespace forebay::fuse
