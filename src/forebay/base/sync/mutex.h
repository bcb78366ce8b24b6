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

/// Holds a mutex during its lifetime.
class FOREBAY_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) FOREBAY_ACQUIRE(mutex) : lock_(mutex.native()) {}
  ~MutexLock() FOREBAY_RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
};

/// Holds a mutex during its lifetime, except between unlock() and lock() and while a condition variable
/// waits.
class FOREBAY_SCOPED_CAPABILITY UniqueMutexLock {
 public:
  explicit UniqueMutexLock(Mutex& mutex) FOREBAY_ACQUIRE(mutex) : lock_(mutex.native()) {}
  ~UniqueMutexLock() FOREBAY_RELEASE() {}
  UniqueMutexLock(const UniqueMutexLock&) = delete;
  UniqueMutexLock& operator=(const UniqueMutexLock&) = delete;

  void lock() FOREBAY_ACQUIRE() { lock_.lock(); }
  void unlock() FOREBAY_RELEASE() { lock_.unlock(); }

  /// For std::condition_variable, which has locked it again when it returns.
  std::unique_lock<std::mutex>& native() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace forebay
