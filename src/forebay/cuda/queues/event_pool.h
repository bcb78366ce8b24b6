// Reusable events: making one costs more than recording it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cuda/driver/context.h"

namespace forebay::cuda {

/// An event that returns to its pool when its last owner drops it, so nobody who still waits for it sees it
/// recorded again.
using EventRef = std::shared_ptr<CUevent_st>;

/// Thread safe. An EventRef keeps it alive.
class EventPool : public std::enable_shared_from_this<EventPool> {
 public:
  explicit EventPool(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  /// Returns an event without timing, whose waiters sleep. The result is the driver's. The context must be
  /// current.
  int take(EventRef& event);
  /// How many events were ever made.
  size_t made() const;

 private:
  void give(EventHandle event);

  const std::shared_ptr<const Context> context_;
  mutable Mutex mutex_;
  std::vector<EventHandle> free_ FOREBAY_GUARDED_BY(mutex_);
  size_t made_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::cuda
