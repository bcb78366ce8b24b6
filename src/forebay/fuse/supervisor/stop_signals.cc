#include "forebay/fuse/supervisor/stop_signals.h"

#include <sys/signalfd.h>

#include <cerrno>

namespace forebay::fuse {

// A signal that is ignored waits all the same while it is blocked.
sigset_t stop_signal_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  struct sigaction hangup {};
  if (::sigaction(SIGHUP, nullptr, &hangup) != 0 || hangup.sa_handler != SIG_IGN) {
    sigaddset(&set, SIGHUP);
  }
  return set;
}

Result<FileDescriptor> block_stop_signals() {
  const sigset_t set = stop_signal_set();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  FileDescriptor signals(::signalfd(-1, &set, SFD_CLOEXEC));
  return signals.is_valid() ? Result<FileDescriptor>(std::move(signals)) : errno_status(errno, "signalfd");
}

void unblock_stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace forebay::fuse
