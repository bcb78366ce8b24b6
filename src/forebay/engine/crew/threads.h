// What the engine's threads have in common.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <string>
#include <thread>

namespace forebay::engine {

/// Blocks signals on this thread while it lives, so that threads started meanwhile never take those of the
/// process.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

inline void name_this_thread(std::string name) {
  name.resize(std::min<size_t>(name.size(), 15));  // the longest that the kernel takes
  pthread_setname_np(pthread_self(), name.c_str());
}

/// Joins it, or lets it go its own way: also the calling thread itself.
inline void end_thread(std::thread& thread, bool join) {
  if (!thread.joinable()) {
    return;
  }
  if (join && thread.get_id() != std::this_thread::get_id()) {
    thread.join();
  } else {
    thread.detach();
  }
}

}  // namespace forebay::engine
