// Waits for children of tests that always end: past a bound the child is asked to end, asked again, then
// killed.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace forebay {

/// Whether the child has ended, or does within the time. It stays to be collected.
inline bool ends_within(pid_t child, int ms) {
  const int ended = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  if (ended < 0) {
    return true;  // collected already
  }
  pollfd wanted = {ended, POLLIN, 0};
  const bool has_ended = ::poll(&wanted, 1, ms) > 0;
  ::close(ended);
  return has_ended;
}

/// Asks the child to end, up to five times in as many seconds, then kills it; collects it.
inline void end_child(pid_t child, int* status = nullptr) {
  constexpr int kAsked = 5;
  constexpr int kPatience_ms = 1000;
  for (int asked = 0; asked < kAsked; ++asked) {
    // A program that is still starting may lose the signal: nginx does.
    ::kill(child, SIGTERM);
    if (ends_within(child, kPatience_ms)) {
      break;
    }
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, status, 0);
}

/// As waitpid(child, status, 0), for at most a minute: a child that takes longer is ended, and the status
/// says so.
inline pid_t wait_for_child(pid_t child, int* status) {
  constexpr int kBound_ms = 60'000;
  if (ends_within(child, kBound_ms)) {
    return ::waitpid(child, status, 0);
  }
  end_child(child, status);
  return child;
}

}  // namespace forebay
