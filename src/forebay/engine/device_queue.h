// What the engine asks of a queue of a device: work put on it runs later, in order, and points on it are
// fences. Made by a layer that knows devices; the engine knows neither memory nor drivers.
#pragma once

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"

namespace forebay::engine {

/// Thread safe: the engine calls it from several threads at once, never with a lock held.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;

  /// A point behind everything that was put on the queue so far.
  virtual Result<Fence> record() = 0;

  /// Work put on the queue from now on runs after `fence` of another queue has passed. Does not block where
  /// both are queues of one device; else this thread may wait.
  virtual Status wait_for(const Fence& fence) = 0;

  /// This thread waits until `fence`, a point of this queue, has passed: the error of work before it, if any.
  virtual Status wait(const Fence& fence) = 0;

  /// Whether `fence`, a point of this queue, has passed; says nothing of errors.
  virtual Result<bool> has_passed(const Fence& fence) = 0;
};

}  // namespace forebay::engine
