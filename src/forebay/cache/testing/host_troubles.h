// What may befall a host whose cache must not be noticed: a daemon that stops for a while, and a process that
// may map nothing more.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::cache::testing {

/// A clock for a daemon in the test's own process. While it is stopped, whoever asks for the time waits, as
/// under SIGSTOP.
class StoppableClock final : public Clock {
 public:
  /// `inner` must outlive it.
  explicit StoppableClock(const Clock& inner) : inner_(inner) {}

  int64_t now_ns() const override;
  void stop();
  void go_on();
  /// Waits, for a moment at most, until somebody waits for the time.
  void await_waiting() const;

 private:
  const Clock& inner_;
  mutable Mutex mutex_;
  mutable std::condition_variable changed_;
  bool is_stopped_ FOREBAY_GUARDED_BY(mutex_) = false;
  mutable int waiting_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

/// While it lives, the kernel maps no shared memory and no file for this process: ENOMEM, as beyond
/// vm.max_map_count. Under a sanitizer, which has the same function for itself, it does nothing.
class NoMappings {
 public:
  NoMappings();
  ~NoMappings();
  NoMappings(const NoMappings&) = delete;
  NoMappings& operator=(const NoMappings&) = delete;
};

/// How many mappings were refused so far.
uint64_t refused_mappings();

}  // namespace forebay::cache::testing
