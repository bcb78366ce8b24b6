// What the engine needs from a device queue: work put on it runs later, in order, and points on it are
// fences. Implemented by a layer that knows devices; the engine knows neither memory nor drivers.
#pragma once

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"

namespace forebay::engine {

/// Thread safe: the engine calls it from several threads at once, never while holding a lock.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;

  /// Returns a point behind everything put on the queue so far.
  virtual Result<Fence> record() = 0;

  /// Makes work put on the queue from now on run after `fence`, a point of another queue. Does not block if
  /// both queues belong to one device; otherwise the calling thread may wait.
  virtual Status wait_for(const Fence& fence) = 0;

  /// Blocks until `fence`, a point of this queue, has passed. Returns the error of the work before it, if
  /// any.
  virtual Status wait(const Fence& fence) = 0;

  /// Whether `fence`, a point of this queue, has passed. Says nothing about errors.
  virtual Result<bool> has_passed(const Fence& fence) = 0;
};

}  // namespace forebay::engine
