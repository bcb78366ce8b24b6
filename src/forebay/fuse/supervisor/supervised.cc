#include "forebay/fuse/supervisor/supervised.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"

namespace forebay::fuse {
namespace {

constexpr int64_t kForEver = -1;

}  // namespace

Supervised::Supervised(Peer supervisor, SupervisedOptions options)
    : options_(std::move(options)),
      bell_(::eventfd(0, EFD_CLOEXEC)),
      supervisor_(std::make_shared<Peer>(std::move(supervisor))) {
  FOREBAY_CHECK(bell_.is_valid());
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    log_warning("{}: there can be no more threads; nobody watches over its supervisor",
                options_.kept->mount().line.path);
  }
}

Supervised::~Supervised() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t rung = ::write(bell_.get(), &one, sizeof(one));
  if (thread_.joinable()) {
    thread_.join();
  }
}

std::shared_ptr<Peer> Supervised::supervisor() {
  const MutexLock lock(mutex_);
  return supervisor_;
}

void Supervised::say_ready() {
  const MutexLock lock(mutex_);
  is_ready_ = true;
  supervisor_->say(Word::kReady);
}

void Supervised::say_ending() {
  const MutexLock lock(mutex_);
  is_ending_ = true;
  supervisor_->say(Word::kEnding);
}

bool Supervised::say_ended(const Status& how) {
  const MutexLock lock(mutex_);
  is_ending_ = true;
  return supervisor_->say(Word::kEnded, how.ok() ? std::string_view() : message(how));
}

/// Until a descriptor can be read, or the time is over; false once this is to end.
bool Supervised::wait_for(int socket, int64_t longest_ns) const {
  std::array<pollfd, 2> look = {{{.fd = bell_.get(), .events = POLLIN}, {.fd = socket, .events = POLLIN}}};
  const int longest_ms = longest_ns == kForEver ? -1 : static_cast<int>(longest_ns / kMillisecond);
  while (::poll(look.data(), look.size(), longest_ms) < 0 && errno == EINTR) {
  }
  return look[0].revents == 0;
}

void Supervised::watch() {
  std::shared_ptr<Peer> current = supervisor();
  while (wait_for(current->socket(), kForEver)) {
    if (!hear(*current)) {
      return;
    }
    current = supervisor();
  }
}

/// False when there is nothing more to hear.
bool Supervised::hear(const Peer& supervisor) {
  const std::optional<SaidWord> said = supervisor.hear();
  if (said) {
    if (said->word == Word::kGo) {
      options_.kept->announce();
    } else if (said->word == Word::kStop) {
      say_ending();
      options_.stop();
      return false;
    }
    return true;
  }
  {
    const MutexLock lock(mutex_);
    if (is_ending_) {
      return false;
    }
  }
  supervisor.collect();
  if (!options_.kept->is_announced()) {
    log_warning("{}: who started it has ended before it was mounted", options_.kept->mount().line.path);
    say_ending();
    options_.stop();  // nobody knows of this mount
    return false;
  }
  return replace_supervisor();
}

bool Supervised::replace_supervisor() {
  const std::string& path = options_.kept->mount().line.path;
  for (;;) {
    const std::optional<int64_t> pause_ns = limit_.note_end(steady_clock().now_ns());
    if (!pause_ns) {
      log_warning(
          "{}: its supervisor ended {} times within {} s; the mount goes on, and ends with this process",
          path, limit_.ends(), RestartLimit::kWithinNs / kSecond);
      return false;
    }
    if (!wait_for(-1, *pause_ns)) {
      return false;
    }
    const MutexLock lock(mutex_);
    if (is_ending_) {
      return false;
    }
    Result<Peer> started = options_.start_supervisor();
    if (started.ok()) {
      log_warning("{}: its supervisor has ended; another one watches over it", path);
      supervisor_ = std::make_shared<Peer>(*std::move(started));
      if (is_ready_) {
        supervisor_->say(Word::kReady);
      }
      return true;
    }
    log_warning("{}: its supervisor has ended, and another one cannot be started: {}", path,
                message(started.status()));
  }
}

}  // namespace forebay::fuse
