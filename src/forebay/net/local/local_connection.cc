#include "forebay/net/local/local_connection.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "forebay/base/system_error.h"

namespace forebay::net {
namespace {

Status ended() {
  return cancelled("the connection to the other process has ended");
}

std::vector<int> numbers_of(const std::vector<FileDescriptor>& descriptors) {
  std::vector<int> numbers;
  for (const FileDescriptor& descriptor : descriptors) {
    numbers.push_back(descriptor.get());
  }
  return numbers;
}

}  // namespace

LocalConnection::LocalConnection(FileDescriptor socket, const LocalPeer& peer, int epoll)
    : socket_(std::move(socket)), peer_(peer), epoll_(epoll) {
}

Status LocalConnection::send(Bytes bytes, std::span<const int> descriptors) {
  const MutexLock lock(mutex_);
  if (has_ended_) {
    return ended();
  }
  if (waiting_.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(const bool is_sent, send_locally(socket_.get(), bytes, descriptors));
    if (is_sent) {
      return ok_status();
    }
  }
  return keep(bytes, descriptors);
}

Status LocalConnection::keep(Bytes bytes, std::span<const int> descriptors) {
  if (waiting_bytes_ + bytes.size() > kMaxWaitingBytes) {
    shutdown(socket_.get(), SHUT_RDWR);
    return resource_exhausted("process {} does not read: {} bytes wait for it", peer_.pid, waiting_bytes_);
  }
  Waiting kept;
  kept.bytes.assign(bytes.begin(), bytes.end());
  for (const int number : descriptors) {
    FileDescriptor copy(fcntl(number, F_DUPFD_CLOEXEC, 0));
    if (!copy.is_valid()) {
      return errno_status(errno, "a file for another process");
    }
    kept.descriptors.push_back(std::move(copy));
  }
  waiting_bytes_ += bytes.size();
  waiting_.push_back(std::move(kept));
  watch(true);
  return ok_status();
}

Status LocalConnection::send_waiting() {
  const MutexLock lock(mutex_);
  while (!waiting_.empty()) {
    const Waiting& first = waiting_.front();
    FOREBAY_ASSIGN_OR_RETURN(const bool is_sent,
                             send_locally(socket_.get(), first.bytes, numbers_of(first.descriptors)));
    if (!is_sent) {
      return ok_status();
    }
    waiting_bytes_ -= first.bytes.size();
    waiting_.pop_front();
  }
  watch(false);
  return ok_status();
}

void LocalConnection::watch(bool wants_room) {
  epoll_event event{};
  event.events = EPOLLIN | (wants_room ? EPOLLOUT : 0U);
  event.data.ptr = this;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, socket_.get(), &event);
}

void LocalConnection::close() {
  const MutexLock lock(mutex_);
  if (!has_ended_) {
    shutdown(socket_.get(), SHUT_RDWR);
  }
}

bool LocalConnection::end() {
  std::deque<Waiting> dropped;
  const MutexLock lock(mutex_);
  if (std::exchange(has_ended_, true)) {
    return false;
  }
  epoll_ctl(epoll_, EPOLL_CTL_DEL, socket_.get(), nullptr);
  shutdown(socket_.get(), SHUT_RDWR);
  dropped.swap(waiting_);
  return true;
}

}  // namespace forebay::net
