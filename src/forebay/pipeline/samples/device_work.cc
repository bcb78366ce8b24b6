#include "forebay/pipeline/samples/device_work.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "forebay/base/caught.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/last_use.h"
#include "forebay/operators/device_launch.h"

namespace forebay::pipeline {
namespace {

using tensor::Tensor;
using tensor::TensorSpec;

// For a sample on a device: its memory is allocated before the launch.
class LaunchServices final : public operators::SampleServices {
 public:
  Result<Tensor> allocate_output(int, const TensorSpec&) override { return refusal(); }
  Result<MutableBytes> scratch(size_t) override { return refusal(); }
  Status reserve(size_t) override { return refusal(); }
  void parallel_for(int64_t count, const std::function<void(int64_t)>& function) override {
    for (int64_t item = 0; item < count; ++item) {
      function(item);
    }
  }

 private:
  static Status refusal() { return internal_error("an operator on a device has no memory but its outputs'"); }
};

// A queue of the simulated device, which runs the kernel bodies as its work. The first error goes to `end`.
class SimulatedQueue final : public operators::LaunchQueue {
 public:
  SimulatedQueue(memory::SimulatedDevice& device, uint32_t queue, std::shared_ptr<Status> end)
      : device_(device), queue_(queue), end_(std::move(end)) {}

  Status launch(const char*, operators::KernelBody body, int64_t count, Bytes arguments) override {
    std::vector<std::max_align_t> copy(arguments.size() / sizeof(std::max_align_t) + 1);
    // copy: the arguments of a kernel, some pointers and numbers
    std::memcpy(copy.data(), arguments.data(), arguments.size());
    return device_.submit(queue_, [end = end_, body, count, copy = std::move(copy)]() -> Status {
      end->Update(caught([&]() -> Status {
        for (int64_t index = 0; index < count; ++index) {
          body(copy.data(), index);
        }
        return ok_status();
      }));
      return ok_status();  // a sample's error is its own: the queue goes on
    });
  }

 private:
  memory::SimulatedDevice& device_;
  uint32_t queue_;
  std::shared_ptr<Status> end_;
};

}  // namespace

Result<Tensor> DeviceWork::make_tensor(const TensorSpec& spec) const {
  Result<Tensor> made = Tensor::allocate(spec, device_->resource());
  if (made.status().code() == StatusCode::kResourceExhausted) {
    return refusal_of_device(made.status());
  }
  return made;
}

Status DeviceWork::copy(const Action& action, const Tensor& from, const Tensor& to) {
  in_use_.push_back(from);
  in_use_.push_back(to);
  last_ = &action;
  return memory::copy_async(device_->driver(), queue_, to.mutable_data(), from.data(), from.size_bytes())
      .status();
}

Status DeviceWork::launch(const Action& action, const operators::SampleIdentity& identity,
                          uint64_t random_key, ActionTensors& tensors) {
  LaunchServices services;
  operators::Sample sample(identity, random_key, tensors.inputs, tensors.arguments, tensors.outputs,
                           services);
  std::vector<TensorSpec> specs(tensors.outputs.size());
  FOREBAY_RETURN_IF_ERROR(action.op->output_specs(sample, specs));
  for (size_t output = 0; output < specs.size(); ++output) {
    FOREBAY_ASSIGN_OR_RETURN(tensors.outputs[output], make_tensor(specs[output]));
  }
  for (const Tensors* used : {&tensors.inputs, &tensors.arguments, &tensors.outputs}) {
    in_use_.insert(in_use_.end(), used->begin(), used->end());
  }
  calls_.push_back({&action, std::make_shared<Status>()});
  last_ = &action;
  SimulatedQueue queue(*device_, queue_, calls_.back().status);
  return action.op->launch({&sample, 1}, queue);
}

void DeviceWork::end_issue(const Action* refused, const Status& status) {
  refused_ = {refused, status};
  const Fence end = memory::end_of_queue(device_->driver(), queue_);
  for (const Tensor& tensor : in_use_) {
    if (tensor.is_valid()) {
      tensor.buffer()->add_reader(end);
    }
  }
}

// An error of an action's work comes first: the action that could not be put on the queue comes after it. If
// the queue itself has failed, work may still be running, so its status is not read.
DeviceEnd DeviceWork::end(const Status& passed) const {
  const auto failed = passed.ok()
                          ? std::ranges::find_if(calls_, [](const Call& call) { return !call.status->ok(); })
                          : calls_.end();
  if (failed != calls_.end()) {
    return {failed->action, *failed->status};
  }
  return refused_.status.ok() ? DeviceEnd{last_, passed} : refused_;
}

}  // namespace forebay::pipeline
