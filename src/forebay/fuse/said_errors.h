// A program gets an errno and no word of the cause; so the causes are logged, but not thousands of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/clock.h"
#include "forebay/base/log.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::fuse {

/// Thread safe.
class SaidErrors {
 public:
  explicit SaidErrors(const Clock& clock = steady_clock()) : clock_(clock) {}

  /// Logs the cause, unless kMost were logged in the same kPeriodNs.
  void say(const Status& status) {
    if (may_say()) {
      log_warning("{}", one_line(message(status)));
    }
  }

  /// Names may have any bytes: none of them begins a line of the log, or tells a terminal what to do.
  static std::string one_line(std::string_view text) {
    constexpr unsigned char kFirstPrinted = 0x20;
    constexpr unsigned char kDelete = 0x7f;
    std::string line(text);
    std::ranges::replace_if(
        line, [](unsigned char each) { return each < kFirstPrinted || each == kDelete; }, '?');
    return line;
  }

  bool may_say() {
    const int64_t period = clock_.now_ns() / kPeriodNs;
    const MutexLock lock(mutex_);
    said_ = period == period_ ? said_ + 1 : 1;
    period_ = period;
    return said_ <= kMost;
  }

  static constexpr int kMost = 20;
  static constexpr int64_t kPeriodNs = 10'000'000'000;

 private:
  const Clock& clock_;
  Mutex mutex_;
  int64_t period_ FOREBAY_GUARDED_BY(mutex_) = 0;
  int said_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::fuse
