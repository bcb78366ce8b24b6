#include "forebay/cache/hosted/kept_leases.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <utility>

namespace forebay::cache {

Result<ReaderToken> ReaderToken::make() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return errno_status(errno, "a pipe for a process that reads from the cache");
  }
  return ReaderToken{.of_daemon = FileDescriptor(ends[0]), .of_process = FileDescriptor(ends[1])};
}

bool has_no_reader(const FileDescriptor& of_daemon) {
  pollfd other_end = {.fd = of_daemon.get(), .events = POLLIN, .revents = 0};
  return poll(&other_end, 1, 0) == 1 && (other_end.revents & POLLHUP) != 0;
}

void KeptLeases::keep(FileDescriptor token, Leases leases) {
  if (leases.empty() || !token.is_valid() || has_no_reader(token)) {
    return;
  }
  const MutexLock lock(mutex_);
  kept_.push_back({std::move(token), std::move(leases)});
  if (!std::exchange(is_looking_, true)) {
    look_later();
  }
}

size_t KeptLeases::size() const {
  const MutexLock lock(mutex_);
  size_t leases = 0;
  for (const Kept& kept : kept_) {
    leases += kept.leases.size();
  }
  return leases;
}

void KeptLeases::look_later() {
  timer_.at(timer_.now_ns() + kBetweenLooksNs, [weak = weak_from_this()] {
    if (const std::shared_ptr<KeptLeases> alive = weak.lock()) {
      alive->look();
    }
  });
}

void KeptLeases::look() {
  std::vector<Kept> ended;  // let go without the lock
  const MutexLock lock(mutex_);
  std::vector<Kept> still;
  for (Kept& kept : kept_) {
    (has_no_reader(kept.token) ? ended : still).push_back(std::move(kept));
  }
  kept_.swap(still);
  is_looking_ = !kept_.empty();
  if (is_looking_) {
    look_later();
  }
}

}  // namespace forebay::cache
