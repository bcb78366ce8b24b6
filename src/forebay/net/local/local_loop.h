// One thread that drives connections between processes of this host: it accepts, receives and sends on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

#include "forebay/base/sync/mutex.h"
#include "forebay/net/local/local_connection.h"

namespace forebay::net {

/// Thread safe. Not usable in a forked child.
class LocalLoop {
 public:
  /// Makes the handler of a new connection; called on the loop's thread. Only processes of this user, and the
  /// superuser's, get that far.
  using Accept = std::function<LocalHandler(const LocalConnectionRef& connection)>;

  /// `name` is that of the thread.
  static Result<std::unique_ptr<LocalLoop>> start(const std::string& name);
  /// Ends all connections and waits for the thread, so never call it in a handler.
  ~LocalLoop();
  LocalLoop(const LocalLoop&) = delete;
  LocalLoop& operator=(const LocalLoop&) = delete;

  /// Accepts connections at `path` from now on, once for each loop. The socket's file is removed with the
  /// loop.
  Status listen(const std::string& path, Accept accept);

  Result<LocalConnectionRef> connect(const std::string& path, LocalHandler handler);

 private:
  LocalLoop(FileDescriptor epoll, FileDescriptor wake);

  void run();
  void accept_all();
  void accept_one(FileDescriptor socket);
  void take_by_spare(const Status& reason);
  /// Whether new connections wait.
  void set_paused(bool is_paused);
  Status add(const LocalConnectionRef& connection);
  void serve(const LocalConnectionRef& connection, uint32_t events);
  void end(const LocalConnectionRef& connection, const Status& status);
  LocalConnectionRef find(const void* connection);
  void end_all();

  const FileDescriptor epoll_;
  const FileDescriptor wake_;
  Accept accept_;
  LocalListener listening_;
  FileDescriptor spare_;  // see take_by_spare(); only the thread uses what follows, once it listens
  bool is_paused_ = false;
  bool has_told_ = false;  // that connections wait
  int64_t listens_again_ns_ = 0;
  Mutex mutex_;
  std::unordered_map<const void*, LocalConnectionRef> connections_ FOREBAY_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace forebay::net
