// A stream as a queue of a device driver: points on it are numbers, each behind an event until it is known to
// have passed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "forebay/base/sync/mutex.h"
#include "forebay/cuda/driver/context.h"
#include "forebay/cuda/queues/event_pool.h"

namespace forebay::cuda {

/// A point that the queue was never given.
inline constexpr int kNoSuchPoint = -100001;
/// Asked of a queue that is being captured.
inline constexpr int kIsCapturing = -100003;

/// Thread safe. Functions answer as those of a DeviceDriver do: 0 (query: 1 passed, 0 not yet), or a negative
/// number: kNoSuchPoint, kIsCapturing, or a result of the driver's below 0. The context must be current.
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
  /// Later work of this queue comes after that point of `other`.
  int wait_on(StreamQueue& other, uint64_t sequence);

  /// What is put on the stream from now on is kept. Until the end the functions above refuse and spoil it:
  /// an event recorded now would be one of the graph's, of which nobody may ask whether it has passed.
  int begin_capture();
  /// By the same thread. The caller destroys the graph.
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
  Mutex mutex_;  // held while a point is recorded, so that events lie on the stream as their numbers do
  bool is_capturing_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_spoilt_ FOREBAY_GUARDED_BY(mutex_) = false;  // what is being captured
  uint64_t recorded_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t passed_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::deque<Point> points_ FOREBAY_GUARDED_BY(mutex_);  // from passed_ + 1 to recorded_
};

}  // namespace forebay::cuda
