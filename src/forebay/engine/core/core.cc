// Implements Engine, except for pushes (push.cc): checks arguments and calls the part that does the work.
#include "forebay/engine/core/core.h"

#include <utility>

#include "forebay/engine/graph/block_cache.h"

namespace forebay::engine {

Core::Core(const EngineOptions& options)
    : is_naive_(options.naive),
      graph_(options.trace != nullptr ? *options.trace : process_trace()),
      devices_(*this, graph_, crew_),
      crew_(*this, identity_, graph_, devices_, options),
      waits_(graph_, crew_, devices_) {
}

Status Core::check(const Variable& variable) const {
  if (!variable.is_valid()) {
    return invalid_argument("an empty Variable cannot be waited for; new_variable() makes one");
  }
  return identity_.check(variable.state_->core_id, variable.state_->fork_generation, "variable");
}

Status Core::check(const LaneRef& lane) const {
  if (lane == nullptr) {
    return invalid_argument("an empty LaneRef cannot be waited for");
  }
  return identity_.check(lane->core_id, lane->fork_generation, "lane");
}

Variable Core::new_variable() {
  auto* state = new (take_block(sizeof(VariableState))) VariableState;
  state->core_id = identity_.core_id();
  state->fork_generation = identity_.fork_generation();
  state->inbox = &graph_.inbox();
  return Variable(state);
}

LaneRef Core::new_lane(LaneOptions options) {
  auto lane = std::make_shared<Lane>();
  lane->options = std::move(options);
  lane->core_id = identity_.core_id();
  lane->fork_generation = identity_.fork_generation();
  if (!is_alive()) {
    return lane;  // every use of it returns an error that says why
  }
  const Section section(crew_);
  graph_.add(lane);
  return lane;
}

Result<ExecutorRef> Core::device_executor(std::string_view name, std::shared_ptr<DeviceQueue> queue) {
  if (queue == nullptr) {
    return invalid_argument("the device executor '{}' needs a queue", name);
  }
  FOREBAY_RETURN_IF_ERROR(identity_.check_alive());
  return devices_.make(name, std::move(queue));
}

Status Core::wait(const Variable& variable, const WaitOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(variable));
  return waits_.wait(*variable.state_, options);
}

Status Core::wait_all(const LaneRef& lane, const WaitOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(lane));
  return waits_.wait_all(*lane, options);
}

Status Core::await_room(const LaneRef& lane, const WaitOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(lane));
  return waits_.await_room(*lane, options);
}

Status Core::error_of(const Variable& variable) {
  FOREBAY_RETURN_IF_ERROR(check(variable));
  const Section section(crew_, 0);
  return variable.state_->status;
}

void Core::cancel(const LaneRef& lane) {
  if (!check(lane).ok()) {
    return;
  }
  const Section section(crew_);
  graph_.cancel(*lane);
}

size_t Core::pending_tasks() {
  if (!is_alive()) {
    return 0;
  }
  const Section section(crew_);
  return graph_.unfinished();
}

void Core::complete_pending(Task& task, Status status) {
  if (!is_alive()) {
    return;
  }
  status = named_error(task, std::move(status));
  const Section section(crew_);
  graph_.end_part(task, std::move(status));
  graph_.ready_unblocked();
}

void Core::shutdown(bool join_executors) {
  if (!is_alive()) {
    return;
  }
  {
    const Section section(crew_);
    if (!graph_.stop()) {
      return;
    }
    crew_.wake_all();
  }
  crew_.join(join_executors);
  devices_.end_learners(join_executors);
}

}  // namespace forebay::engine
