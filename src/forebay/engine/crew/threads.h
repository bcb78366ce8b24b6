// Helpers for the engine's threads.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <string>
#include <thread>

namespace forebay::engine {

/// Blocks signals on this thread during its lifetime, so that threads started meanwhile never receive the
/// process's signals.
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
  name.resize(std::min<size_t>(name.size(), 15));  // the kernel's limit
  pthread_setname_np(pthread_self(), name.c_str());
}

/// Joins the thread, or detaches it. The calling thread itself is always detached.
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
