// Tells processes of files that the cache has removed: one that asks for nothing would keep them mapped, and
// their space taken, for as long as it lives.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"

namespace forebay::cache {

/// Somebody whose process maps ranges of shared_ranges().
class RangeHolder {
 public:
  virtual ~RangeHolder() = default;
  /// On the timer's thread; must not block.
  virtual void forget_gone_ranges() = 0;
};

/// Thread safe; owned by a shared_ptr. Watches shared_ranges() from watch() on, until it is destroyed.
class GoneRanges : public std::enable_shared_from_this<GoneRanges> {
 public:
  /// How long after a range has gone its holders are told, and so how often at most.
  static constexpr int64_t kDelayNs = 1'000'000'000;

  static std::shared_ptr<GoneRanges> watch(Timer& timer = process_timer());
  ~GoneRanges();
  GoneRanges(const GoneRanges&) = delete;
  GoneRanges& operator=(const GoneRanges&) = delete;

  void add(std::weak_ptr<RangeHolder> holder);

 private:
  explicit GoneRanges(Timer& timer) : timer_(timer) {}

  void tell_later();
  void tell();

  Timer& timer_;
  uint64_t number_ = 0;  // of the watch
  std::atomic<bool> is_due_{false};
  Mutex mutex_;
  std::vector<std::weak_ptr<RangeHolder>> holders_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cache
