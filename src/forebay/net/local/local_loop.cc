#include "forebay/net/local/local_loop.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/base/system_error.h"
#include "forebay/base/units.h"

namespace forebay::net {
namespace {

constexpr int kMaxEvents = 64;
// After so many messages of one connection the others have their turn.
constexpr int kMessagesAtOnce = 32;
constexpr int64_t kPauseNs = 100 * kMillisecond;  // of listening, while no descriptor is free

Status watch(int epoll, int descriptor, void* what, uint32_t events = EPOLLIN) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = what;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) {
    return errno_status(errno, "watching a socket");
  }
  return ok_status();
}

/// To be given up for a connection that is refused.
FileDescriptor spare_descriptor() {
  return FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

bool is_trusted(const LocalPeer& peer) {
  return peer.uid == geteuid() || peer.uid == 0;
}

}  // namespace

LocalLoop::LocalLoop(FileDescriptor epoll, FileDescriptor wake)
    : epoll_(std::move(epoll)), wake_(std::move(wake)) {
}

Result<std::unique_ptr<LocalLoop>> LocalLoop::start(const std::string& name) {
  FileDescriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  FileDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll.is_valid() || !wake.is_valid()) {
    return errno_status(errno, "a loop for connections between processes");
  }
  std::unique_ptr<LocalLoop> loop(new LocalLoop(std::move(epoll), std::move(wake)));
  FOREBAY_RETURN_IF_ERROR(watch(loop->epoll_.get(), loop->wake_.get(), nullptr));
  try {
    loop->thread_ = std::thread([self = loop.get(), name = name.substr(0, 15)] {
      pthread_setname_np(pthread_self(), name.c_str());
      self->run();
    });
  } catch (const std::system_error& error) {
    return resource_exhausted("cannot start a thread for connections between processes: {}", error.what());
  }
  return loop;
}

LocalLoop::~LocalLoop() {
  if (thread_.joinable()) {
    eventfd_write(wake_.get(), 1);
    thread_.join();
  }
}

Status LocalLoop::listen(const std::string& path, Accept accept) {
  FOREBAY_ASSIGN_OR_RETURN(listening_, listen_locally(path));
  spare_ = spare_descriptor();
  accept_ = std::move(accept);
  return watch(epoll_.get(), listening_.socket(), this);
}

Result<LocalConnectionRef> LocalLoop::connect(const std::string& path, LocalHandler handler) {
  FOREBAY_ASSIGN_OR_RETURN(FileDescriptor socket, connect_locally(path));
  FOREBAY_ASSIGN_OR_RETURN(const LocalPeer peer, peer_of(socket.get()));
  if (!is_trusted(peer)) {
    return permission_denied("{}: user {} listens there, not this one", path, peer.uid);
  }
  auto connection = std::make_shared<LocalConnection>(std::move(socket), peer, epoll_.get());
  connection->handler_ = std::move(handler);
  FOREBAY_RETURN_IF_ERROR(add(connection));
  return connection;
}

// Room is watched for at first, since something may have been sent before the loop knew the connection.
Status LocalLoop::add(const LocalConnectionRef& connection) {
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(
      watch(epoll_.get(), connection->socket_.get(), connection.get(), EPOLLIN | EPOLLOUT));
  connections_.emplace(connection.get(), connection);
  return ok_status();
}

LocalConnectionRef LocalLoop::find(const void* connection) {
  const MutexLock lock(mutex_);
  const auto found = connections_.find(connection);
  return found == connections_.end() ? nullptr : found->second;
}

// Events of a connection that ended earlier in the same round name one that is no longer known.
void LocalLoop::run() {
  std::array<epoll_event, kMaxEvents> events;
  for (;;) {
    const int most_ms = is_paused_ ? static_cast<int>(kPauseNs / kMillisecond) : -1;
    const int count = epoll_wait(epoll_.get(), events.data(), kMaxEvents, most_ms);
    if (is_paused_ && steady_clock().now_ns() >= listens_again_ns_) {
      set_paused(false);
    }
    for (int i = 0; i < count; ++i) {
      void* const what = events[static_cast<size_t>(i)].data.ptr;
      if (what == nullptr) {
        return end_all();
      }
      if (what == this) {
        accept_all();
      } else if (const LocalConnectionRef connection = find(what)) {
        serve(connection, events[static_cast<size_t>(i)].events);
      }
    }
  }
}

void LocalLoop::accept_all() {
  for (int i = 0; i < kMessagesAtOnce; ++i) {
    Result<FileDescriptor> socket = accept_locally(listening_.socket());
    if (!socket.ok()) {
      if (socket.status().code() != StatusCode::kUnavailable) {
        take_by_spare(socket.status());
      }
      return;
    }
    accept_one(*std::move(socket));
    has_told_ = false;
    if (!spare_.is_valid()) {
      spare_ = spare_descriptor();
    }
  }
}

// Without a free descriptor a connection cannot be taken, and would be announced for ever. The spare one is
// given up to take and end it. Where another thread has taken that, too, the connection waits; where some
// have become free meanwhile, it is served.
void LocalLoop::take_by_spare(const Status& reason) {
  spare_ = FileDescriptor();
  Result<FileDescriptor> socket = accept_locally(listening_.socket());
  const bool has_come = socket.ok();
  spare_ = spare_descriptor();
  if (has_come && spare_.is_valid()) {
    has_told_ = false;
    return accept_one(*std::move(socket));
  }
  if (has_come || !has_told_) {
    log_warning("{}: a connection {}: {}", listening_.path(), has_come ? "was refused" : "waits",
                message(reason));
  }
  has_told_ = !has_come;
  if (has_come) {
    socket = unavailable("refused");  // closed
    spare_ = spare_descriptor();
  } else {
    listens_again_ns_ = steady_clock().now_ns() + kPauseNs;
    set_paused(true);
  }
}

void LocalLoop::set_paused(bool is_paused) {
  epoll_event event{};
  event.events = is_paused ? 0U : uint32_t{EPOLLIN};
  event.data.ptr = this;
  is_paused_ = epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listening_.socket(), &event) == 0 && is_paused;
}

void LocalLoop::accept_one(FileDescriptor socket) {
  const Result<LocalPeer> peer = peer_of(socket.get());
  if (!peer.ok() || !is_trusted(*peer)) {
    log_warning("{}: refused a process of user {}", listening_.path(), peer.ok() ? peer->uid : 0);
    return;
  }
  auto connection = std::make_shared<LocalConnection>(std::move(socket), *peer, epoll_.get());
  connection->handler_ = accept_(connection);
  if (const Status added = add(connection); !added.ok()) {
    end(connection, added);
  }
}

void LocalLoop::serve(const LocalConnectionRef& connection, uint32_t events) {
  if ((events & EPOLLOUT) != 0) {
    if (const Status sent = connection->send_waiting(); !sent.ok()) {
      return end(connection, sent);
    }
  }
  for (int i = 0; i < kMessagesAtOnce; ++i) {
    LocalMessage message;
    const Result<bool> has_come = receive_locally(connection->socket_.get(), &message);
    if (!has_come.ok()) {
      return end(connection, has_come.status());
    }
    if (!*has_come) {
      return;
    }
    if (const Status taken = connection->handler_.on_message(connection, std::move(message)); !taken.ok()) {
      return end(connection, taken);
    }
  }
}

void LocalLoop::end(const LocalConnectionRef& connection, const Status& status) {
  if (!connection->end()) {
    return;
  }
  {
    const MutexLock lock(mutex_);
    connections_.erase(connection.get());
  }
  connection->handler_.on_closed(connection, status);
  connection->handler_ = {};  // it may refer to the connection
}

// Whoever sees a connection end finds nobody at the path, or the next one who listens there.
void LocalLoop::end_all() {
  listening_ = LocalListener();
  std::unordered_map<const void*, LocalConnectionRef> connections;
  {
    const MutexLock lock(mutex_);
    connections = connections_;
  }
  for (const auto& [key, connection] : connections) {
    end(connection, cancelled("this process closes its connections"));
  }
}

}  // namespace forebay::net
