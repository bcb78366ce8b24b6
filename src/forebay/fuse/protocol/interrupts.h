// Which of the kernel's interrupts end a call: those of a program that is to end, not of every signal.
//
// The kernel interrupts a call once, at the first signal that its thread does not block, and no program
// expects EINTR of stat(2) because a timer has rung. So a call goes on while no signal is pending that asks
// its program to end, and this looks for one until the call has ended.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"

namespace forebay::fuse {

/// Whether a thread has a signal pending that asks its program to end, by what /proc/PID/status says.
bool asks_to_end(std::string_view thread_status);
/// The same of a thread; true, too, where that cannot be told.
bool is_asked_to_end(uint32_t thread);

/// Whether a thread ends by a signal, by what /proc/PID/stat says.
bool ends_by_signal(std::string_view thread_stat);
/// The same of a thread; false, too, where that cannot be told.
bool is_ended_by_signal(uint32_t thread);

/// Thread safe.
class Interrupts {
 public:
  struct Calls {
    std::function<bool(uint64_t unique)> is_under_way;
    std::function<void(uint64_t unique)> end;
  };

  explicit Interrupts(Calls calls) : calls_(std::move(calls)) {}
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Ends no call any more.
  void stop();
  /// Ends the call once its thread is asked to end. False where the system has no thread to look for that.
  bool watch(uint64_t unique, uint32_t thread);

 private:
  struct Watched {
    uint64_t unique = 0;
    uint32_t thread = 0;
  };

  void look() noexcept;
  std::vector<Watched> next_to_look_at();
  void end_some(const std::vector<Watched>& watched);

  const Calls calls_;
  Mutex mutex_;
  std::condition_variable changed_;
  bool is_stopped_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::vector<Watched> watched_ FOREBAY_GUARDED_BY(mutex_);
  std::thread thread_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::fuse
