// Actions on the device. One device task of the engine puts consecutive actions of a sample on its queue; the
// sample goes on when the queue has passed them.
#include <algorithm>

#include "forebay/base/caught.h"
#include "forebay/pipeline/samples/action_services.h"
#include "forebay/pipeline/samples/device_work.h"
#include "forebay/pipeline/samples/sample_runner.h"

namespace forebay::pipeline {
namespace {

bool holds_any(const std::vector<int>& values, const std::vector<int>& of) {
  return std::ranges::find_first_of(values, of) != values.end();
}

// Whether the host must read one of these values to launch the action.
bool is_decided_by(const Action& action, const std::vector<int>& values) {
  const auto is_guard = [&](const auto& guard) {
    return std::ranges::find(values, guard.first) != values.end();
  };
  return holds_any(action.arguments, values) || std::ranges::any_of(action.guards, is_guard);
}

}  // namespace

uint32_t SampleRunner::queue_of(const SampleJob& job) const {
  const int64_t place = std::max<int64_t>(job.identity.stream_index, 0);
  return static_cast<uint32_t>(place % options_.device->queues());
}

void SampleRunner::issue(BatchJob* batch, int index) {
  SampleJob& job = batch->samples[index];
  job.device = std::make_shared<DeviceWork>(options_.device, queue_of(job));
  const std::vector<Action>& actions = step_of(*batch, index).actions;
  std::vector<int> coming;  // values being copied to the host
  Status status;
  while (job.next_action < actions.size()) {
    const Action& action = actions[job.next_action];
    if (action.placement == Placement::kHost || is_decided_by(action, coming)) {
      break;
    }
    status = caught([&] { return run_action(batch, index, action); });
    if (!status.ok()) {
      break;
    }
    if (action.placement == Placement::kToHost) {
      coming.insert(coming.end(), action.outputs.begin(), action.outputs.end());
    }
    end_action(&job, action);
  }
  job.device->end_issue(status.ok() ? nullptr : &actions[job.next_action], status);
}

Outcome SampleRunner::run_after_device(const BatchRef& batch, int index, const Status& passed,
                                       SampleOwner& owner) {
  const DeviceEnd end = end_on_device(batch.get(), index, passed);
  if (is_memory_refusal(end.status)) {
    return {Outcome::Kind::kRefused, end.action, end.status};
  }
  if (!end.status.ok()) {
    fail(batch.get(), index, *end.action, end.status);
  }
  return run(batch, index, owner);
}

// Releases the memory that the work used.
DeviceEnd SampleRunner::end_on_device(BatchJob* batch, int index, const Status& passed) const {
  SampleJob& job = batch->samples[index];
  const std::shared_ptr<DeviceWork> work = std::exchange(job.device, nullptr);
  DeviceEnd end = work != nullptr ? work->end(passed) : DeviceEnd{nullptr, passed};
  if (end.action == nullptr) {
    const std::vector<Action>& actions = step_of(*batch, index).actions;
    end.action = &actions[std::min(job.next_action, actions.size() - 1)];
  }
  return end;
}

Status SampleRunner::run_on_device(BatchJob* batch, int index, const Action& action) {
  SampleJob& job = batch->samples[index];
  ActionTensors tensors(job.values, action);
  if (action.placement == Placement::kDevice) {
    FOREBAY_RETURN_IF_ERROR(job.device->launch(action, job.identity, key_of(job, action), tensors));
    return keep_outputs(&job, action, tensors.outputs);
  }
  const tensor::Tensor& from = tensors.inputs[0];
  ActionServices services(this, batch, index, action);
  const bool is_to_device = action.placement == Placement::kToDevice;
  FOREBAY_ASSIGN_OR_RETURN(tensors.outputs[0], is_to_device ? job.device->make_tensor(from.spec())
                                                            : services.allocate_output(0, from.spec()));
  FOREBAY_RETURN_IF_ERROR(job.device->copy(action, from, tensors.outputs[0]));
  return keep_outputs(&job, action, tensors.outputs);
}

}  // namespace forebay::pipeline
