#include "forebay/pipeline/device_region.h"

#include <algorithm>

#include "forebay/base/caught.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device_driver.h"

namespace forebay::pipeline {
namespace {

using tensor::Tensor;
using tensor::TensorSpec;

// Notes the shape of the one output that a device operator has, and refuses to give memory.
class ShapeProbe final : public operators::SampleServices {
 public:
  Result<Tensor> allocate_output(int, const TensorSpec& spec) override {
    spec_ = spec;
    return cancelled("only the shape was asked for");
  }
  Result<MutableBytes> scratch(size_t) override { return cancelled("only the shape was asked for"); }
  Status reserve(size_t) override { return ok_status(); }
  void parallel_for(int64_t, const std::function<void(int64_t)>&) override {}

  const std::optional<TensorSpec>& spec() const { return spec_; }

 private:
  std::optional<TensorSpec> spec_;
};

// Runs inside the device's work: outputs are there already.
class DeviceServices final : public operators::SampleServices {
 public:
  explicit DeviceServices(const std::vector<Tensor>& outputs) : outputs_(outputs) {}

  Result<Tensor> allocate_output(int output, const TensorSpec& spec) override {
    if (spec != outputs_[output].spec()) {
      return internal_error("the operator asked for {} and then for {}", outputs_[output].spec().to_string(),
                            spec.to_string());
    }
    return outputs_[output];
  }
  Result<MutableBytes> scratch(size_t bytes) override {
    scratch_.emplace_back(bytes);
    return MutableBytes(scratch_.back());
  }
  Status reserve(size_t) override { return ok_status(); }
  void parallel_for(int64_t count, const std::function<void(int64_t)>& function) override {
    for (int64_t item = 0; item < count; ++item) {
      function(item);
    }
  }

 private:
  const std::vector<Tensor>& outputs_;
  std::vector<std::vector<std::byte>> scratch_;
};

Status run_call(DeviceCall& call) {
  std::vector<Tensor> outputs(call.outputs.size());
  DeviceServices services(call.outputs);
  operators::Sample sample(call.identity, call.random_key, call.inputs, call.arguments, outputs, services);
  return call.op->run(sample);
}

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
  ShapeProbe probe;
  operators::Sample dry(call->identity, call->random_key, call->inputs, call->arguments, call->outputs,
                        probe);
  const Status refused = call->op->run(dry);
  if (refused.ok()) {
    return ok_status();  // it forwarded what it was given: nothing to run
  }
  if (!probe.spec()) {
    return refused;
  }
  FOREBAY_ASSIGN_OR_RETURN(call->outputs[0], Tensor::allocate(*probe.spec(), device_->resource()));
  for (const Tensor& input : call->inputs) {
    FOREBAY_RETURN_IF_ERROR(memory::wait_on_queue(device_->driver(), queue_, input.buffer()->last_write()));
  }
  FOREBAY_RETURN_IF_ERROR(device_->submit(queue_, [call]() -> Status {
    call->status = caught([&] { return run_call(*call); });
    return ok_status();  // a sample's error is its own: the queue goes on
  }));
  FOREBAY_ASSIGN_OR_RETURN(const Fence done, device_->record(queue_));
  for (const Tensor& input : call->inputs) {
    input.buffer()->add_reader(done);
  }
  call->outputs[0].buffer()->set_last_write(done);
  calls_.push_back(call);
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
