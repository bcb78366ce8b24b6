// Events that are used again: making one costs more than recording it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cuda/driver/context.h"

namespace forebay::cuda {

/// An event that goes back to its pool with its last owner, so that nobody who still waits for it sees it
/// recorded anew.
using EventRef = std::shared_ptr<CUevent_st>;

/// Thread safe. An EventRef keeps it alive.
class EventPool : public std::enable_shared_from_this<EventPool> {
 public:
  explicit EventPool(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  /// An event without timing, whose waiters sleep; a result of the driver's. The context must be current.
  int take(EventRef& event);
  /// Events that were ever made.
  size_t made() const;

 private:
  void give(EventHandle event);

  const std::shared_ptr<const Context> context_;
  mutable Mutex mutex_;
  std::vector<EventHandle> free_ FOREBAY_GUARDED_BY(mutex_);
  size_t made_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::cuda
