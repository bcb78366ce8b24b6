// std::mutex and its lock, annotated for clang's thread safety analysis (thread_annotations.h).
#pragma once

#include <mutex>

#include "forebay/base/sync/thread_annotations.h"

namespace forebay {

class FOREBAY_CAPABILITY("mutex") Mutex {
 public:
  void lock() FOREBAY_ACQUIRE() { mutex_.lock(); }
  void unlock() FOREBAY_RELEASE() { mutex_.unlock(); }
  bool try_lock() FOREBAY_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

  /// For functions that take a std::mutex, such as keep_usable_in_child().
  std::mutex& native() { return mutex_; }

 private:
  std::mutex mutex_;
};

/// Holds a mutex during its lifetime, except between unlock() and lock().
class FOREBAY_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) FOREBAY_ACQUIRE(mutex) : lock_(mutex.native()) {}
  ~MutexLock() FOREBAY_RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() FOREBAY_ACQUIRE() { lock_.lock(); }
  void unlock() FOREBAY_RELEASE() { lock_.unlock(); }

  /// For std::condition_variable, which has locked it again when it returns.
  std::unique_lock<std::mutex>& native() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace forebay
