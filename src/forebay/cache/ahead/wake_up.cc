#include "forebay/cache/ahead/wake_up.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace forebay::cache {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kLookEveryMs = 100;  // without a descriptor, of which the process has no more

}  // namespace

WakeUp::WakeUp() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
}

WakeUp::~WakeUp() {
  if (event_ >= 0) {
    ::close(event_);
  }
}

void WakeUp::wake() {
  if (!is_awake_.exchange(true)) {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(event_, &one, sizeof(one));  // cannot overflow
  }
}

void WakeUp::wait(std::optional<int64_t> most_ns) {
  const int64_t without_time_ms = event_ >= 0 ? -1 : kLookEveryMs;
  const int64_t most_ms = most_ns ? (*most_ns + kNsPerMs - 1) / kNsPerMs : without_time_ms;
  const int timeout_ms = static_cast<int>(std::clamp<int64_t>(most_ms, -1, std::numeric_limits<int>::max()));
  pollfd events = {.fd = event_, .events = POLLIN, .revents = 0};
  while (::poll(&events, 1, timeout_ms) < 0 && errno == EINTR) {
  }
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(event_, &count, sizeof(count));
  is_awake_.exchange(false);  // sees what was done before a wake() that found it true
}

}  // namespace forebay::cache
