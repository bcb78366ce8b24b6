// The work of one sample on a queue of a device.
//
// A device task of the engine puts the sample's actions on the queue, one after the other. The sample goes on
// when the engine says that the queue has passed them, so the host never reads memory that the device may
// still write, and no thread waits for a single sample. Until then this object keeps all memory that the work
// uses. The buffers also carry a fence, in case the queue fails and the engine cannot tell.
//
// Operators see the queue as a LaunchQueue (operators/device_launch.h). The implementation here is for the
// simulated device; a GPU needs another one, and nothing else in this folder changes.
#pragma once

#include <memory>
#include <vector>

#include "forebay/memory/device/simulated_device.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/pipeline/samples/action_services.h"

namespace forebay::pipeline {

/// The outcome of the work.
struct DeviceEnd {
  const Action* action = nullptr;  // the first that failed; of the plan. Null if nothing was put on the queue
  Status status;
};

/// Not thread safe: first used by the device task, then by the task that follows it.
class DeviceWork {
 public:
  DeviceWork(std::shared_ptr<memory::SimulatedDevice> device, uint32_t queue)
      : device_(std::move(device)), queue_(queue) {}

  /// Allocates device memory. If there is none left, the error is marked as a refusal: the sample runs again
  /// when others have freed theirs.
  Result<tensor::Tensor> make_tensor(const tensor::TensorSpec& spec) const;

  /// Puts a copy on the queue. Either side may be host memory.
  Status copy(const Action& action, const tensor::Tensor& from, const tensor::Tensor& to);

  /// Allocates the outputs of `tensors` and puts the operator's work on the queue.
  Status launch(const Action& action, const operators::SampleIdentity& identity, uint64_t random_key,
                ActionTensors& tensors);

  /// Call after the last action. `refused` is the action that could not be put on the queue, or null.
  void end_issue(const Action* refused, const Status& status);

  /// Call when the engine has finished the device task with the status `passed`.
  DeviceEnd end(const Status& passed) const;

 private:
  struct Call {
    const Action* action;
    std::shared_ptr<Status> status;  // written by the device's work
  };

  std::shared_ptr<memory::SimulatedDevice> device_;
  uint32_t queue_;
  std::vector<Call> calls_;
  std::vector<tensor::Tensor> in_use_;
  const Action* last_ = nullptr;  // put on the queue
  DeviceEnd refused_;
};

}  // namespace forebay::pipeline
