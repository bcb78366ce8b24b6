// A program gets an errno and no word of the cause; so the causes are logged, but not thousands of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/utf8.h"

namespace forebay::fuse {

/// Thread safe.
class SaidErrors {
 public:
  explicit SaidErrors(const Clock& clock = steady_clock()) : clock_(clock) {}

  /// Logs the cause, unless kMost were logged in the same kPeriodNs.
  void say(const Status& status) {
    if (may_say()) {
      log_warning("{}", printable(message(status)));  // a name in it may have any bytes
    }
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
