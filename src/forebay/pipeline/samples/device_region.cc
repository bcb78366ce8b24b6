#include "forebay/pipeline/samples/device_region.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "forebay/base/caught.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device/device_driver.h"
#include "forebay/operators/device_launch.h"

namespace forebay::pipeline {
namespace {

using tensor::Tensor;
using tensor::TensorSpec;

// For a sample on a device: its memory is taken before the launch, and the work asks for none.
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

// A queue of the simulated device: the bodies of kernels run as its work.
class SimulatedQueue final : public operators::LaunchQueue {
 public:
  SimulatedQueue(memory::SimulatedDevice& device, uint32_t queue, std::shared_ptr<DeviceCall> call)
      : device_(device), queue_(queue), call_(std::move(call)) {}

  Status launch(const char*, operators::KernelBody body, int64_t count, Bytes arguments) override {
    std::vector<std::max_align_t> copy(arguments.size() / sizeof(std::max_align_t) + 1);
    // copy: the arguments of a kernel, some pointers and numbers
    std::memcpy(copy.data(), arguments.data(), arguments.size());
    return device_.submit(queue_, [call = call_, body, count, copy = std::move(copy)]() -> Status {
      const Status status = caught([&]() -> Status {
        for (int64_t index = 0; index < count; ++index) {
          body(copy.data(), index);
        }
        return ok_status();
      });
      call->status.Update(status);
      return ok_status();  // a sample's error is its own: the queue goes on
    });
  }

 private:
  memory::SimulatedDevice& device_;
  uint32_t queue_;
  std::shared_ptr<DeviceCall> call_;
};

}  // namespace

Status DeviceRegion::put_copy(const Tensor& from, const Tensor& to) {
  FOREBAY_RETURN_IF_ERROR(memory::wait_on_queue(device_->driver(), queue_, from.buffer()->last_write()));
  FOREBAY_ASSIGN_OR_RETURN(const Fence done, memory::copy_async(device_->driver(), queue_, to.mutable_data(),
                                                                from.data(), from.size_bytes()));
  from.buffer()->add_reader(done);
  to.buffer()->set_last_write(done);
  in_use_.push_back(from);
  in_use_.push_back(to);
  return ok_status();
}

Result<Tensor> DeviceRegion::copy_to_device(const Tensor& from) {
  FOREBAY_ASSIGN_OR_RETURN(Tensor to, Tensor::allocate(from.spec(), device_->resource()));
  FOREBAY_RETURN_IF_ERROR(put_copy(from, to));
  return to;
}

Result<Tensor> DeviceRegion::copy_to_host(const Tensor& from) {
  FOREBAY_ASSIGN_OR_RETURN(Tensor to, Tensor::allocate(from.spec()));
  FOREBAY_RETURN_IF_ERROR(put_copy(from, to));
  return to;
}

Status DeviceRegion::launch(const std::shared_ptr<DeviceCall>& call) {
  LaunchServices services;
  operators::Sample sample(call->identity, call->random_key, call->inputs, call->arguments, call->outputs,
                           services);
  std::vector<TensorSpec> specs(call->outputs.size());
  FOREBAY_RETURN_IF_ERROR(call->op->output_specs(sample, specs));
  for (size_t output = 0; output < specs.size(); ++output) {
    FOREBAY_ASSIGN_OR_RETURN(call->outputs[output], Tensor::allocate(specs[output], device_->resource()));
  }
  for (const Tensor& input : call->inputs) {
    FOREBAY_RETURN_IF_ERROR(memory::wait_on_queue(device_->driver(), queue_, input.buffer()->last_write()));
  }
  calls_.push_back(call);  // a launch that fails may have put a part of its work on the queue
  SimulatedQueue queue(*device_, queue_, call);
  FOREBAY_RETURN_IF_ERROR(call->op->launch({&sample, 1}, queue));
  FOREBAY_ASSIGN_OR_RETURN(const Fence done, device_->record(queue_));
  for (const Tensor& input : call->inputs) {
    input.buffer()->add_reader(done);
  }
  for (const Tensor& output : call->outputs) {
    output.buffer()->set_last_write(done);
  }
  return ok_status();
}

Status DeviceRegion::await_all() const {
  FOREBAY_ASSIGN_OR_RETURN(const Fence done, device_->record(queue_));
  return memory::wait(done);
}

DeviceEnd DeviceRegion::finish() {
  if (calls_.empty() && in_use_.empty()) {
    return {};
  }
  DeviceEnd end{nullptr, await_all()};
  const auto failed = std::ranges::find_if(calls_, [](const auto& call) { return !call->status.ok(); });
  if (end.status.ok() && failed != calls_.end()) {
    end = {(*failed)->action, (*failed)->status};
  }
  calls_.clear();
  in_use_.clear();
  return end;
}

}  // namespace forebay::pipeline
