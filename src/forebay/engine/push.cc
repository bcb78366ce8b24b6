// From a push to a place in the graph: checked and made by the thread that pushes, left in the inbox, sorted
// in by whoever holds the mutex next.
#include <algorithm>
#include <utility>

#include "forebay/base/prefetch.h"
#include "forebay/engine/core.h"
#include "forebay/engine/dependencies.h"

namespace forebay::engine {
namespace {

constexpr size_t kTasksAhead = 4;
constexpr size_t kVariablesAhead = 2;

void note_push(VariableState& variable) {
  if (!variable.was_pushed.load(std::memory_order_relaxed)) {
    variable.was_pushed.store(true, std::memory_order_relaxed);
  }
}

}  // namespace

bool Core::owns_all(const Lane* lane, const TaskOptions& options) const {
  const auto owns = [this](const Variable& variable) {
    return variable.is_valid() && variable.state_->core_id == core_id_;
  };
  return lane != nullptr && lane->core_id == core_id_ && std::ranges::all_of(options.writes, owns) &&
         std::ranges::all_of(options.reads, owns) &&
         (options.executor == nullptr || options.executor->core_id == core_id_);
}

Status Core::check(const Lane* lane, const TaskOptions& options) const {
  if (is_alive() && owns_all(lane, options)) [[likely]] {
    return ok_status();
  }
  if (lane == nullptr) {
    return invalid_argument("no lane given for task '{}'", options.name);
  }
  FOREBAY_RETURN_IF_ERROR(check_handle(lane->core_id, lane->fork_generation, "lane"));
  if (options.executor) {
    FOREBAY_RETURN_IF_ERROR(
        check_handle(options.executor->core_id, options.executor->fork_generation, "executor"));
  }
  for (const auto variables : {options.reads, options.writes}) {
    for (const Variable& variable : variables) {
      if (!variable.is_valid()) {
        return invalid_argument("task '{}' uses a variable that names nothing", options.name);
      }
      const VariableState& state = *variable.state_;
      FOREBAY_RETURN_IF_ERROR(check_handle(state.core_id, state.fork_generation, "variable"));
    }
  }
  return ok_status();
}

Task* Core::make_task(const LaneRef& lane, const TaskOptions& options) {
  const bool is_traced = trace_.is_on();
  // Most updates name one variable in both lists.
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
    trace_make(*task, options);
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

// A variable that is named twice is one access. Their order stays: the first that carries an error is
// inherited.
void Core::merge_accesses(Task& task) {
  const std::span<Access> named = task.accesses();
  task.access_count = 0;
  for (Access& access : named) {
    if (access.variable->stamp == task.id) {
      Access& first = *std::ranges::find(task.accesses(), access.variable, &Access::variable);
      first.writes |= access.writes;
      first.reads |= access.reads;
      continue;
    }
    access.variable->stamp = task.id;
    Access& kept = named[task.access_count++];
    kept.variable = access.variable;
    kept.writes = access.writes;
    kept.reads = access.reads;
  }
}

void Core::sort_in(size_t most, Section& section) {
  for (; most > 0; --most) {
    if (sorted_ == unsorted_.tasks.size()) {
      if (!inbox_.has_tasks()) {
        forget_unhandled();
        return;
      }
      take_inbox_contents();
    }
    prefetch_next();
    sort_in(*unsorted_.tasks[sorted_++], section);
  }
}

/// Everything taken before is sorted in.
void Core::take_inbox_contents() {
  forget_unhandled();
  unsorted_.tasks.clear();
  sorted_ = 0;
  inbox_.take(unsorted_);
}

void Core::forget_unhandled() {
  for (VariableState* variable : unsorted_.unhandled) {
    forget_handles(*variable);
  }
  unsorted_.unhandled.clear();
}

// Tasks come from the processor that pushed them, variables perhaps from another worker's.
void Core::prefetch_next() {
  const std::span<Task* const> next = std::span(unsorted_.tasks).subspan(sorted_);
  if (next.size() > kTasksAhead) {
    prefetch(next[kTasksAhead], sizeof(Task) + sizeof(Access));
  }
  if (next.size() > kVariablesAhead) {
    for (const Access& access : next[kVariablesAhead]->accesses()) {
      prefetch(&access.variable->head, kLineBytes);
    }
  }
}

void Core::sort_in(Task& task, Section& section) {
  task.id = next_task_++;
  task.order = task.order == 0 ? task.id : task.order;
  merge_accesses(task);
  for (Access& access : task.accesses()) {
    append_access(access);
  }
  task.lane->append(task);
  ++unfinished_;
  if (task.is_traced) [[unlikely]] {
    trace_push(task);
  }
  if (task.blocked == 0) {
    make_ready(task, section);
    settle_unblocked(section);
  } else if (task.lane->idle_waiters != nullptr) [[unlikely]] {
    end_hopeless_waits(task);
    ++ready_version_;  // who waits for the lane may now have to help with what this task waits for
  }
}

Status Core::check_push(const Lane* lane, const TaskOptions& options) const {
  FOREBAY_RETURN_IF_ERROR(check(lane, options));
  if (is_stopping_.load(std::memory_order_relaxed)) {
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
    held->body(Completion(held->core.shared_from_this(), held->task));
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
  Completion completion(shared_from_this(), task);
  // There is nothing to run, so nobody needs to look: who wants to know of it sorts in what is there first.
  put_in_inbox(*task);
  return completion;
}

/// Whether nobody will look into the inbox. The task may be gone when this returns.
bool Core::put_in_inbox(Task& task) {
  Lane& lane = *task.lane;
  if (lane.options.most_queued > 0) {
    lane.pushed.fetch_add(1, std::memory_order_relaxed);
  }
  const Turn turn{.lane = &lane, .priority = task.priority, .has_order = task.order != 0};
  return inbox_.put(&task, turn);
}

void Core::put(Task& task) {
  const bool is_for_executor = task.executor != nullptr;
  const bool is_unattended = put_in_inbox(task);
  // Workers that are busy for long look into the inbox late; an executor's thread may be idle meanwhile.
  if (is_unattended || is_for_executor) {
    Section section(*this);
  }
  while (is_naive_ && step()) {
  }
}

}  // namespace forebay::engine
