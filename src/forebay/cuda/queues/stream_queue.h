// A stream as a queue of a device driver. Points on it are numbers, each backed by an event until it is known
// to have passed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "forebay/base/sync/mutex.h"
#include "forebay/cuda/driver/context.h"
#include "forebay/cuda/queues/event_pool.h"

namespace forebay::cuda {

/// Error: the queue has no such point.
inline constexpr int kNoSuchPoint = -100001;
/// Error: the queue is being captured.
inline constexpr int kIsCapturing = -100003;

/// Thread safe. Functions return what those of a DeviceDriver do: 0 (query: 1 passed, 0 not yet), or a
/// negative number: kNoSuchPoint, kIsCapturing, or a negated result of the driver. The context must be
/// current.
class StreamQueue {
 public:
  enum class Ownership { kOwned, kBorrowed };  // an owned stream is destroyed with the queue

  StreamQueue(std::shared_ptr<const Context> context, std::shared_ptr<EventPool> events, StreamHandle stream,
              Ownership ownership);
  ~StreamQueue();
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;

  StreamHandle stream() const { return stream_; }
  int record(uint64_t* sequence);
  int query(uint64_t sequence);
  int wait(uint64_t sequence);
  /// Makes later work on this queue come after that point of `other`.
  int wait_on(StreamQueue& other, uint64_t sequence);

  /// Starts a capture: work put on the stream is recorded instead of run. Until end_capture the functions
  /// above refuse and invalidate the capture, because an event recorded now would belong to the graph and
  /// must not be queried.
  int begin_capture();
  /// Ends the capture, on the same thread. The caller destroys the graph.
  int end_capture(GraphHandle* graph);

 private:
  struct Point {
    uint64_t sequence = 0;
    EventRef event;
  };

  int refuse_in_capture() FOREBAY_REQUIRES(mutex_);
  int ask_stream(int (*ask)(StreamHandle stream)) FOREBAY_EXCLUDES(mutex_);
  int find(uint64_t sequence, EventRef& event) FOREBAY_EXCLUDES(mutex_);
  void set_passed(uint64_t sequence) FOREBAY_EXCLUDES(mutex_);
  void drop_passed() FOREBAY_REQUIRES(mutex_);

  const std::shared_ptr<const Context> context_;
  const std::shared_ptr<EventPool> events_;
  const StreamHandle stream_;
  const Ownership ownership_;
  // Held while a point is recorded, so that events are on the stream in the order of their numbers.
  Mutex mutex_;
  bool is_capturing_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_spoilt_ FOREBAY_GUARDED_BY(mutex_) = false;  // whether the current capture is invalid
  uint64_t recorded_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t passed_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::deque<Point> points_ FOREBAY_GUARDED_BY(mutex_);  // from passed_ + 1 to recorded_
};

}  // namespace forebay::cuda
