// The queues of a session's device, as the engine sees them: one executor each, which ends with this object
// once its tasks are done.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "forebay/engine/engine.h"
#include "forebay/memory/device/simulated_device.h"

namespace forebay::pipeline {

/// Thread safe after open().
class DeviceQueues {
 public:
  /// Errors are those of Engine::device_executor.
  Status open(std::shared_ptr<engine::Engine> engine, const std::shared_ptr<memory::SimulatedDevice>& device);

  /// Pushes two tasks: a device task that calls `issue`, which puts work on `queue`, and one that calls
  /// `rest` with the device task's status when the queue has passed the work. `rest` is called after any
  /// error, also when the lane was cancelled, but not after the engine's shutdown. `task` names both, and
  /// their order. After an error `issue` may be called, and `rest` is not.
  Status launch(const engine::LaneRef& lane, engine::TaskOptions task, uint32_t queue,
                std::function<void()> issue, std::function<void(const Status& passed)> rest) const;

  /// Pushes the device task alone and waits until the queue has passed its work. After an error of the wait,
  /// `issue` may still be running.
  Status launch_and_wait(uint32_t queue, std::function<void()> issue) const;

 private:
  Status push_issue(const engine::LaneRef& lane, engine::TaskOptions task, uint32_t queue,
                    const engine::Variable& passed, std::function<void()> issue) const;

  std::shared_ptr<engine::Engine> engine_;
  std::vector<engine::ExecutorRef> executors_;  // by queue
};

}  // namespace forebay::pipeline
