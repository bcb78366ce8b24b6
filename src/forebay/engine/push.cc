// From a push to a place in the graph: checked and made by the thread that pushes, left in the inbox, sorted
// in by whoever holds the mutex next.
#include <algorithm>
#include <utility>

#include "forebay/engine/core.h"
#include "forebay/engine/dependencies.h"
#include "forebay/engine/prefetch.h"

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
  Task* task =
      Task::create(options.reads.size() + options.writes.size(), options.name, options.site, is_traced);
  if (is_traced) [[unlikely]] {
    task->times().push = trace_.ticks();
  }
  task->lane = lane.get();
  task->executor = options.executor.get();
  task->is_for_device = task->executor != nullptr && task->executor->line != nullptr;
  task->priority = options.priority;
  task->order = options.order;
  task->run_on_error = options.run_on_error;
  task->kibibytes = static_cast<uint32_t>(std::min<uint64_t>(options.bytes >> 10, 0xffffffff));
  for (const Variable& variable : options.writes) {
    note_push(*variable.state_);
    task->add_access(variable.state_).writes = true;
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

Status Core::push(const LaneRef& lane, const TaskOptions& options,
                  std::variant<TaskBody, AsyncBody, OpenBody> body, Completion* completion) {
  FOREBAY_RETURN_IF_ERROR(check(lane.get(), options));
  if (is_stopping_.load(std::memory_order_relaxed)) {
    return failed_precondition("the engine is shut down");
  }
  Task* task = make_task(lane, options);
  task->body = std::move(body);
  if (completion != nullptr) {
    task->parts = 2;
    completion->core_ = shared_from_this();
    completion->task_ = task;
  }
  if (lane->options.most_queued > 0) {
    lane->pushed.fetch_add(1, std::memory_order_relaxed);
  }
  // Workers that are busy for long look into the inbox late; an executor's thread may be idle meanwhile.
  const bool is_closed = inbox_.put(task);
  if (is_closed || options.executor) {
    Section section(*this);
  }
  while (is_naive_ && step()) {
  }
  return ok_status();
}

}  // namespace forebay::engine
