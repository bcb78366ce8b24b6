#include "forebay/cuda/queues/stream_queue.h"

#include <utility>

#include "forebay/memory/device_driver.h"

namespace forebay::cuda {
namespace {

constexpr size_t kMaxUnasked = 64;  // open points allowed before record() checks which have passed

}  // namespace

StreamQueue::StreamQueue(std::shared_ptr<const Context> context, std::shared_ptr<EventPool> events,
                         StreamHandle stream, Ownership ownership)
    : context_(std::move(context)), events_(std::move(events)), stream_(stream), ownership_(ownership) {
}

StreamQueue::~StreamQueue() {
  if (ownership_ == Ownership::kOwned) {
    context_->functions().stream_destroy(stream_);
  }
}

int StreamQueue::record(uint64_t* sequence) {
  Point point;
  int error = events_->take(point.event);
  if (error != kSuccess) {
    return -error;
  }
  const MutexLock lock(mutex_);
  if (const int refused = refuse_in_capture(); refused != 0) {
    return refused;
  }
  error = context_->functions().event_record(point.event.get(), stream_);
  if (error != kSuccess) {
    return -error;
  }
  point.sequence = ++recorded_;
  *sequence = recorded_;
  points_.push_back(std::move(point));
  if (points_.size() > kMaxUnasked) {
    drop_passed();
  }
  return 0;
}

int StreamQueue::refuse_in_capture() {
  is_spoilt_ = is_capturing_;
  return is_capturing_ ? kIsCapturing : 0;
}

// Finds the event of a point. Returns 1 if the point is already known to have passed.
int StreamQueue::find(uint64_t sequence, EventRef& event) {
  const MutexLock lock(mutex_);
  if (const int refused = refuse_in_capture(); refused != 0) {
    return refused;
  }
  if (sequence <= passed_) {
    return 1;
  }
  if (sequence > recorded_) {
    return kNoSuchPoint;
  }
  event = points_[sequence - passed_ - 1].event;
  return 0;
}

// Queries that need no point; outside mutex_, since they may take long.
int StreamQueue::ask_stream(int (*ask)(StreamHandle stream)) {
  {
    const MutexLock lock(mutex_);
    if (const int refused = refuse_in_capture(); refused != 0) {
      return refused;
    }
  }
  return -ask(stream_);
}

int StreamQueue::query(uint64_t sequence) {
  if (sequence == memory::kEndOfQueue) {
    const int answer = ask_stream(context_->functions().stream_query);
    return answer == 0 ? 1 : (answer == -kErrorNotReady ? 0 : answer);
  }
  EventRef event;
  const int found = find(sequence, event);
  if (found != 0) {
    return found;
  }
  const int answer = context_->functions().event_query(event.get());
  if (answer == kErrorNotReady) {
    return 0;
  }
  if (answer != kSuccess) {
    return -answer;
  }
  set_passed(sequence);
  return 1;
}

int StreamQueue::wait(uint64_t sequence) {
  if (sequence == memory::kEndOfQueue) {
    return ask_stream(context_->functions().stream_synchronize);
  }
  EventRef event;
  const int found = find(sequence, event);
  if (found != 0) {
    return found < 0 ? found : 0;
  }
  const int error = context_->functions().event_synchronize(event.get());
  if (error != kSuccess) {
    return -error;
  }
  set_passed(sequence);
  return 0;
}

int StreamQueue::wait_on(StreamQueue& other, uint64_t sequence) {
  {
    const MutexLock lock(mutex_);
    if (const int refused = refuse_in_capture(); refused != 0) {
      return refused;
    }
  }
  EventRef event;
  const int found = other.find(sequence, event);
  if (found != 0) {
    return found < 0 ? found : 0;
  }
  return -context_->functions().stream_wait_event(stream_, event.get(), 0);
}

int StreamQueue::begin_capture() {
  const MutexLock lock(mutex_);
  if (const int refused = refuse_in_capture(); refused != 0) {
    return refused;
  }
  const int error = context_->functions().capture_begin(stream_, kCaptureOfThisThread);
  is_capturing_ = error == kSuccess;
  return -error;
}

int StreamQueue::end_capture(GraphHandle* graph) {
  const MutexLock lock(mutex_);
  const int error = context_->functions().capture_end(stream_, graph);
  const bool is_spoilt = std::exchange(is_spoilt_, false);
  is_capturing_ = false;
  if (error != kSuccess) {
    return -error;
  }
  if (is_spoilt) {
    context_->functions().graph_destroy(*graph);
    return -kErrorCaptureSpoilt;
  }
  return 0;
}

void StreamQueue::set_passed(uint64_t sequence) {
  const MutexLock lock(mutex_);
  while (passed_ < sequence) {
    ++passed_;
    points_.pop_front();
  }
}

// Removes a few of the oldest passed points, so that their number is bounded by the stream's pending work.
void StreamQueue::drop_passed() {
  for (int looks = 0; looks < 4 && !points_.empty(); ++looks) {
    if (context_->functions().event_query(points_.front().event.get()) != kSuccess) {
      return;
    }
    points_.pop_front();
    ++passed_;
  }
}

}  // namespace forebay::cuda
