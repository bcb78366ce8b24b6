#include "forebay/cuda/queues/event_pool.h"

namespace forebay::cuda {

EventPool::~EventPool() {
  const ContextScope scope(*context_);
  for (const EventHandle event : free_) {
    context_->functions().event_destroy(event);
  }
}

int EventPool::take(EventRef& event) {
  EventHandle handle = nullptr;
  {
    const MutexLock lock(mutex_);
    if (!free_.empty()) {
      handle = free_.back();
      free_.pop_back();
    }
  }
  if (handle == nullptr) {
    const int error = context_->functions().event_create(&handle, kEventBlockingWait | kEventWithoutTiming);
    if (error != kSuccess) {
      return error;
    }
    const MutexLock lock(mutex_);
    ++made_;
  }
  event = EventRef(handle, [pool = shared_from_this()](EventHandle given) { pool->give(given); });
  return kSuccess;
}

void EventPool::give(EventHandle event) {
  const MutexLock lock(mutex_);
  free_.push_back(event);
}

size_t EventPool::made() const {
  const MutexLock lock(mutex_);
  return made_;
}

}  // namespace forebay::cuda
