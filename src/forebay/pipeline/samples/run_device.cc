// Actions on the device: put on the sample's queue by its task, waited for where the host needs them.
#include "forebay/memory/device/device_driver.h"
#include "forebay/pipeline/samples/device_region.h"
#include "forebay/pipeline/samples/sample_runner.h"

namespace forebay::pipeline {

Status SampleRunner::run_on_device(SampleJob* sample, const Action& action) const {
  SampleJob& job = *sample;
  if (job.device == nullptr) {
    const auto queue = static_cast<uint32_t>(job.identity.stream_index % options_.device->queues());
    job.device = std::make_shared<DeviceRegion>(options_.device, queue);
  }
  const tensor::Tensor& input = job.values[action.inputs[0]];
  tensor::Tensor& output = job.values[action.outputs[0]];
  if (action.placement == Placement::kToDevice) {
    FOREBAY_ASSIGN_OR_RETURN(output, job.device->copy_to_device(input));
    return ok_status();
  }
  if (action.placement == Placement::kToHost) {
    FOREBAY_ASSIGN_OR_RETURN(output, job.device->copy_to_host(input));
    return ok_status();
  }
  FOREBAY_RETURN_IF_ERROR(wait_for_inputs(job, action));
  ActionTensors tensors(job.values, action);
  auto call = std::make_shared<DeviceCall>();
  call->action = &action;
  call->op = action.op;
  call->identity = job.identity;
  call->random_key = key_of(job, action);
  call->inputs = std::move(tensors.inputs);
  call->arguments = std::move(tensors.arguments);
  call->outputs = std::move(tensors.outputs);
  FOREBAY_RETURN_IF_ERROR(job.device->launch(call));
  output = call->outputs[0];
  return ok_status();
}

// True when the sample is over with what it has under way, or broke; false when another stands in for it.
bool SampleRunner::finish_on_device(BatchJob* batch, int index) {
  const SampleJob& job = batch->samples[index];
  if (job.device == nullptr || !job.error.ok()) {
    return true;
  }
  const DeviceEnd end = job.device->finish();
  if (end.status.ok()) {
    return true;
  }
  const Action& failed = end.action != nullptr ? *end.action : step_of(*batch, index).actions.back();
  return fail(batch, index, failed, end.status);
}

// The host may read a tensor once the fence of its last writer has passed.
Status SampleRunner::wait_for_inputs(const SampleJob& job, const Action& action) const {
  if (!plan_.has_device_actions()) {
    return ok_status();
  }
  const auto wait_for = [&](int value) -> Status {
    const tensor::Tensor& tensor = job.values[value];
    const bool is_read_by_host = tensor.is_valid() && memory::is_host_accessible(tensor.kind());
    return is_read_by_host ? memory::wait(tensor.buffer()->last_write()) : ok_status();
  };
  for (const int value : action.inputs) {
    FOREBAY_RETURN_IF_ERROR(wait_for(value));
  }
  for (const int value : action.arguments) {
    FOREBAY_RETURN_IF_ERROR(wait_for(value));
  }
  return ok_status();
}

}  // namespace forebay::pipeline
