// Actions on a device: work that is put on a queue and runs later, with fences between it and the host.
//
// One sample uses one queue. An operator says the specs of its outputs, memory is taken for them, and its
// work is put on the queue. The host waits for a fence only where it touches what the device has written.
//
// The device is the simulated one of memory/device/simulated_device.h: every region, fence and buffer of the
// graph runs on it in tests, and the bodies of the operators' kernels.
#pragma once

#include <memory>
#include <vector>

#include "forebay/memory/device/simulated_device.h"
#include "forebay/operators/sample.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/pipeline/samples/action_services.h"

namespace forebay::pipeline {

/// A call under way on a queue; alive until its fence has passed.
struct DeviceCall {
  const Action* action = nullptr;  // of the plan, which outlives it
  std::shared_ptr<const operators::Operator> op;
  operators::SampleIdentity identity;
  uint64_t random_key = 0;
  std::vector<tensor::Tensor> inputs;
  std::vector<tensor::Tensor> arguments;
  std::vector<tensor::Tensor> outputs;
  Status status;  // written by the device's work
};

/// How what was put on a queue ended.
struct DeviceEnd {
  const Action* action = nullptr;  // whose call failed first; null: none, or the queue itself
  Status status;
};

/// What one sample has under way on its queue.
class DeviceRegion {
 public:
  DeviceRegion(std::shared_ptr<memory::SimulatedDevice> device, uint32_t queue)
      : device_(std::move(device)), queue_(queue) {}

  /// A copy in the memory of the other side; ready when its buffer's last_write() has passed.
  Result<tensor::Tensor> copy_to_device(const tensor::Tensor& from);
  Result<tensor::Tensor> copy_to_host(const tensor::Tensor& from);

  /// Puts the operator on the queue; `call->outputs` are its results-to-be.
  Status launch(const std::shared_ptr<DeviceCall>& call);

  /// Waits for everything put on the queue so far, and lets go of what it used.
  DeviceEnd finish();

 private:
  Status await_all() const;
  Status put_copy(const tensor::Tensor& from, const tensor::Tensor& to);

  std::shared_ptr<memory::SimulatedDevice> device_;
  uint32_t queue_;
  std::vector<std::shared_ptr<DeviceCall>> calls_;
  std::vector<tensor::Tensor> in_use_;
};

}  // namespace forebay::pipeline
