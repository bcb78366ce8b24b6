#include "forebay/pipeline/samples/device_queues.h"

#include <utility>

#include "forebay/cuda/queues/driver_queue.h"

namespace forebay::pipeline {

Status DeviceQueues::open(std::shared_ptr<engine::Engine> engine,
                          const std::shared_ptr<memory::SimulatedDevice>& device) {
  engine_ = std::move(engine);
  for (uint32_t queue = 0; queue < device->queues(); ++queue) {
    const memory::Queue place{.driver = device->driver(), .queue = queue};
    FOREBAY_ASSIGN_OR_RETURN(
        engine::ExecutorRef executor,
        engine_->device_executor(fmt::format("device{}", queue), cuda::driver_queue(place, device)));
    executors_.push_back(std::move(executor));
  }
  return ok_status();
}

Status DeviceQueues::push_issue(const engine::LaneRef& lane, engine::TaskOptions task, uint32_t queue,
                                const engine::Variable& passed, std::function<void()> issue) const {
  task.writes = {&passed, 1};
  task.executor = executors_[queue];
  return engine_->push(lane, task, [issue = std::move(issue)] {
    issue();
    return ok_status();
  });
}

Status DeviceQueues::launch(const engine::LaneRef& lane, engine::TaskOptions task, uint32_t queue,
                            std::function<void()> issue,
                            std::function<void(const Status& passed)> rest) const {
  const engine::Variable passed = engine_->new_variable();
  FOREBAY_RETURN_IF_ERROR(push_issue(lane, task, queue, passed, std::move(issue)));
  task.reads = {&passed, 1};
  task.run_on_error = true;
  return engine_->push(lane, task, [engine = engine_.get(), passed, rest = std::move(rest)] {
    rest(engine->error_of(passed));
    return ok_status();
  });
}

// Uses a separate lane, which nobody cancels.
Status DeviceQueues::launch_and_wait(uint32_t queue, std::function<void()> issue) const {
  const engine::Variable passed = engine_->new_variable();
  FOREBAY_RETURN_IF_ERROR(
      push_issue(engine_->new_lane({.name = "launch"}), {.name = "launch"}, queue, passed, std::move(issue)));
  return engine_->wait(passed);
}

}  // namespace forebay::pipeline
