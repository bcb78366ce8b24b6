#include "forebay/cli/command/stop_on_signal.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "forebay/base/check.h"

namespace forebay::cli {
namespace {

constexpr int kStoppingSignals[] = {SIGINT, SIGTERM};
std::atomic<int> received{0};
std::atomic<bool> is_only_once{false};
std::atomic<int> bell{-1};  // an eventfd; rung by the handler, and when there is nothing more to wait for

void ring_bell() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(bell.load(), &one, sizeof(one));
}

// Calls only what a signal's handler may.
void on_signal(int signal) {
  const int error = errno;
  if (received.exchange(signal) != 0 && !is_only_once.load()) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  ring_bell();
  errno = error;
}

void wait_for_bell() {
  uint64_t rings = 0;
  while (::read(bell.load(), &rings, sizeof(rings)) < 0 && errno == EINTR) {
  }
}

}  // namespace

int exit_status(const Status& status) {
  const bool is_stopped = status.code() == StatusCode::kCancelled && received.load() != 0;
  return is_stopped ? 128 + received.load() : 1;
}

StopOnSignal::StopOnSignal() {
  is_only_once.store(false);
  bell.store(::eventfd(0, EFD_CLOEXEC));
  FOREBAY_CHECK(bell.load() >= 0);
  struct sigaction action {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : kStoppingSignals) {
    ::sigaction(signal, &action, nullptr);
  }
  waiter_ = std::thread([this] {
    wait_for_bell();
    if (received.load() != 0) {
      stop_.request_stop();
    }
  });
}

void StopOnSignal::only_once() {
  is_only_once.store(true);
}

StopOnSignal::~StopOnSignal() {
  for (const int signal : kStoppingSignals) {
    ::signal(signal, SIG_DFL);
  }
  ring_bell();
  waiter_.join();
  ::close(bell.exchange(-1));
}

}  // namespace forebay::cli
