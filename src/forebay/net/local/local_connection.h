// One end of a connection between two processes of this host, driven by a LocalLoop.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <span>

#include "forebay/base/sync/mutex.h"
#include "forebay/net/local/local_socket.h"

namespace forebay::net {

class LocalConnection;
using LocalConnectionRef = std::shared_ptr<LocalConnection>;

/// What happens on a connection; called on the loop's thread, one call at a time, and must not block.
struct LocalHandler {
  /// A message came. An error closes the connection: the other end does not speak as it should.
  std::function<Status(const LocalConnectionRef& connection, LocalMessage message)> on_message;
  /// The connection has ended, for the reason that `status` gives; called exactly once, and last.
  std::function<void(const LocalConnectionRef& connection, const Status& status)> on_closed;
};

/// Thread safe. Lives as long as somebody refers to it; its loop does until it has ended.
class LocalConnection : public std::enable_shared_from_this<LocalConnection> {
 public:
  /// What may wait for the other end to read. One that falls further behind is cut off.
  static constexpr size_t kMaxWaitingBytes = size_t{16} << 20;

  LocalConnection(FileDescriptor socket, const LocalPeer& peer, int epoll);

  const LocalPeer& peer() const { return peer_; }

  /// Sends a message after all earlier ones, without waiting for the other end: what it has not read is kept
  /// here. Bytes and descriptors are the caller's again on return. cancelled once the connection has ended.
  Status send(Bytes bytes, std::span<const int> descriptors = {});

  /// Ends the connection; on_closed() follows on the loop's thread.
  void close();

 private:
  friend class LocalLoop;

  struct Waiting {
    std::vector<std::byte> bytes;
    std::vector<FileDescriptor> descriptors;
  };

  Status keep(Bytes bytes, std::span<const int> descriptors) FOREBAY_REQUIRES(mutex_);
  /// Sends what waits, as far as the other end reads it.
  Status send_waiting();
  void watch(bool wants_room) FOREBAY_REQUIRES(mutex_);
  /// Takes the connection out of its loop. False if that was done.
  bool end();

  const FileDescriptor socket_;
  const LocalPeer peer_;
  const int epoll_;
  LocalHandler handler_;  // set before the loop sees the connection
  Mutex mutex_;
  std::deque<Waiting> waiting_ FOREBAY_GUARDED_BY(mutex_);
  size_t waiting_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool has_ended_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::net
