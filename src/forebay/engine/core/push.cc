// How a task gets into the inbox: the pushing thread checks and makes it without the mutex.
#include <algorithm>
#include <utility>

#include "forebay/engine/core/core.h"

namespace forebay::engine {
namespace {

void note_push(VariableState& variable) {
  if (!variable.was_pushed.load(std::memory_order_relaxed)) {
    variable.was_pushed.store(true, std::memory_order_relaxed);
  }
}

}  // namespace

bool Core::owns_all(const Lane* lane, const TaskOptions& options) const {
  const auto owns = [this](const Variable& variable) {
    return variable.is_valid() && variable.state_->core_id == identity_.core_id();
  };
  return lane != nullptr && lane->core_id == identity_.core_id() &&
         std::ranges::all_of(options.writes, owns) && std::ranges::all_of(options.reads, owns) &&
         (options.executor == nullptr || options.executor->core_id == identity_.core_id());
}

Status Core::check(const Lane* lane, const TaskOptions& options) const {
  if (is_alive() && owns_all(lane, options)) [[likely]] {
    return ok_status();
  }
  if (lane == nullptr) {
    return invalid_argument("task '{}' has no lane", options.name);
  }
  FOREBAY_RETURN_IF_ERROR(identity_.check(lane->core_id, lane->fork_generation, "lane"));
  if (options.executor) {
    FOREBAY_RETURN_IF_ERROR(
        identity_.check(options.executor->core_id, options.executor->fork_generation, "executor"));
  }
  for (const auto variables : {options.reads, options.writes}) {
    for (const Variable& variable : variables) {
      if (!variable.is_valid()) {
        return invalid_argument("task '{}' uses an empty Variable; new_variable() makes one", options.name);
      }
      const VariableState& state = *variable.state_;
      FOREBAY_RETURN_IF_ERROR(identity_.check(state.core_id, state.fork_generation, "variable"));
    }
  }
  return ok_status();
}

Task* Core::make_task(const LaneRef& lane, const TaskOptions& options) {
  const bool is_traced = graph_.tracer().is_on();
  // Most updates name the same variable in both lists.
  const bool is_update =
      options.reads.size() == 1 && options.writes.size() == 1 && options.reads[0] == options.writes[0];
  const size_t access_count = is_update ? 1 : options.reads.size() + options.writes.size();
  Task* task = Task::create(access_count, options.name, options.site, is_traced);
  task->lane = lane.get();
  task->executor = options.executor.get();
  task->is_for_device = task->executor != nullptr && task->executor->line != nullptr;
  task->priority = options.priority;
  task->order = options.order;
  task->run_on_error = options.run_on_error;
  if (is_traced) [[unlikely]] {
    graph_.tracer().note_made(*task, options);
  }
  task->kibibytes = static_cast<uint32_t>(std::min<uint64_t>(options.bytes >> 10, 0xffffffff));
  for (const Variable& variable : options.writes) {
    note_push(*variable.state_);
    Access& access = task->add_access(variable.state_);
    access.writes = true;
    access.reads = is_update;
  }
  if (is_update) {
    return task;
  }
  for (const Variable& variable : options.reads) {
    note_push(*variable.state_);
    task->add_access(variable.state_).reads = true;
  }
  return task;
}

Status Core::check_push(const Lane* lane, const TaskOptions& options) const {
  FOREBAY_RETURN_IF_ERROR(check(lane, options));
  if (graph_.is_stopping()) {
    return failed_precondition("the engine is shut down");
  }
  return ok_status();
}

Status Core::push(const LaneRef& lane, const TaskOptions& options, TaskBody body) {
  FOREBAY_RETURN_IF_ERROR(check_push(lane.get(), options));
  Task* const task = make_task(lane, options);
  task->body = std::move(body);
  put(*task);
  return ok_status();
}

Status Core::push_async(const LaneRef& lane, const TaskOptions& options, AsyncBody body) {
  FOREBAY_RETURN_IF_ERROR(check_push(lane.get(), options));
  struct Held {
    Core& core;
    AsyncBody body;
    Task* task = nullptr;
  };
  std::unique_ptr<Held> held(new Held{*this, std::move(body)});
  Task* const task = make_task(lane, options);
  task->kind = TaskKind::kAsynchronous;
  held->task = task;
  task->body = [held = std::move(held)] {
    held->body(Completion(held->core.self(), held->task));
    return ok_status();
  };
  put(*task);
  return ok_status();
}

Result<Completion> Core::push_open(const LaneRef& lane, const TaskOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_push(lane.get(), options));
  Task* const task = make_task(lane, options);
  task->kind = TaskKind::kOpen;
  task->parts = 2;
  Completion completion(self(), task);
  // There is no body to run, so nobody needs to look now: whoever needs the result sorts the inbox in first.
  put_in_inbox(*task);
  return completion;
}

/// Returns whether nobody will look into the inbox. The task may be destroyed when this returns.
bool Core::put_in_inbox(Task& task) {
  Lane& lane = *task.lane;
  if (lane.options.most_queued > 0) {
    lane.pushed.fetch_add(1, std::memory_order_relaxed);
  }
  const Turn turn{.lane = &lane, .priority = task.priority, .has_order = task.order != 0};
  return graph_.inbox().put(&task, turn);
}

void Core::put(Task& task) {
  const bool is_for_executor = task.executor != nullptr;
  const bool is_unattended = put_in_inbox(task);
  // Workers that are busy for long look into the inbox late, while an executor's thread may be idle.
  if (is_unattended || is_for_executor) {
    const Section section(crew_);
  }
  while (is_naive_ && step()) {
  }
}

}  // namespace forebay::engine
