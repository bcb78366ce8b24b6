// The life of a task in the graph: unblocked, made ready or skipped, finished.
#include "forebay/engine/core.h"

#include <algorithm>
#include <utility>

#include "forebay/engine/block_cache.h"
#include "forebay/engine/dependencies.h"
#include "forebay/engine/process.h"
#include "forebay/engine/run_ahead.h"

namespace forebay::engine {
namespace {

Status cancelled_task(const Task& task) {
  return task.name().empty() ? cancelled("the task was cancelled")
                             : cancelled("task '{}' was cancelled", task.name());
}

}  // namespace

Status named_error(const Task& task, Status status) {
  if (status.ok() || (task.name().empty() && task.site().empty())) {
    return status;
  }
  const std::string name = task.name().empty() ? "a task" : fmt::format("task '{}'", task.name());
  return annotate(status, task.site().empty() ? name : fmt::format("{} (pushed at {})", name, task.site()));
}

Core::Core(const EngineOptions& options)
    : core_id_(next_core_id()),
      fork_generation_(fork_generation()),
      is_naive_(options.naive),
      is_threaded_(!options.naive && options.workers != 0),
      clock_(options.clock != nullptr ? *options.clock : steady_clock()),
      trace_(options.trace != nullptr ? *options.trace : process_trace()),
      inbox_(take_inbox()) {
  const int cpus = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  limit_ = !is_threaded_ ? 0 : (options.workers < 0 ? cpus : options.workers);
}

Core::~Core() {
  take_inbox_contents();
  take_inbox_contents();
  give_inbox(inbox_);
}

bool Core::is_alive() const {
  return fork_generation_ == fork_generation();
}

Status Core::check_handle(uint32_t core_id, uint32_t generation, const char* what) const {
  if (!is_alive()) {
    return failed_precondition(
        "this engine belongs to the process that forked this one; make a new one here");
  }
  if (core_id == core_id_) {
    return ok_status();
  }
  if (generation != fork_generation_) {
    return failed_precondition("the {} belongs to the process that forked this one; make a new one here",
                               what);
  }
  return invalid_argument("the {} belongs to another engine", what);
}

Variable Core::new_variable() {
  auto* state = new (take_block(sizeof(VariableState))) VariableState;
  state->core_id = core_id_;
  state->fork_generation = fork_generation_;
  state->inbox = &inbox_;
  return Variable(state);
}

LaneRef Core::new_lane(LaneOptions options) {
  auto lane = std::make_shared<Lane>();
  lane->options = std::move(options);
  lane->core_id = core_id_;
  lane->fork_generation = fork_generation_;
  if (!is_alive()) {
    return lane;  // every use of it says why it cannot be used
  }
  Section section(*this);
  forget_idle_lanes(section);
  lane->id = next_lane_++;
  lanes_.push_back(lane);
  return lane;
}

// A lane without handles gets no more tasks, but its last may lie in the inbox: it is the inbox's lock that
// makes sure that those are seen.
void Core::forget_idle_lanes(Section& section) {
  std::vector<Lane*> unheld;
  for (const LaneRef& lane : lanes_) {
    if (lane.use_count() == 1 && lane->unfinished == 0) {
      unheld.push_back(lane.get());
    }
  }
  if (unheld.empty()) {
    return;
  }
  sort_in(kEverything, section);
  take_inbox_contents();
  sort_in(kEverything, section);
  std::erase_if(lanes_, [&](const LaneRef& lane) {
    return lane->unfinished == 0 && std::ranges::find(unheld, lane.get()) != unheld.end();
  });
}

Status Core::reason_to_skip(const Task& task) const {
  if (is_stopping_ || (task.is_cancelled.load(std::memory_order_relaxed) && !task.run_on_error)) {
    return cancelled_task(task);
  }
  if (task.run_on_error) {
    return ok_status();
  }
  if (task.is_for_device && !task.executor->line->error.ok()) [[unlikely]] {
    return task.executor->line->error;
  }
  return inherited_error(task);
}

Status Core::inherited_error(const Task& task) const {
  for (const Access& access : task.accesses()) {
    if (access.reads && !access.variable->status.ok()) {
      return access.variable->status;
    }
  }
  return ok_status();
}

/// A body that is to run as soon as there is somebody to run it.
bool Core::is_usual(const Task& task) const {
  const bool is_plain = !task.is_for_device && task.kibibytes == 0 && task.kind == TaskKind::kPlain;
  if (!is_plain || task.is_cancelled.load(std::memory_order_relaxed) ||
      is_stopping_.load(std::memory_order_relaxed)) {
    return false;
  }
  return std::ranges::all_of(task.accesses(),
                             [](const Access& access) { return access.variable->status.ok(); });
}

void Core::make_ready(Task& task, Section& section) {
  if (task.is_traced) [[unlikely]] {
    trace_ready(task);
  }
  if (is_usual(task)) [[likely]] {
    enqueue(task);
    return;
  }
  make_unusual_ready(task, section);
}

void Core::make_unusual_ready(Task& task, Section& section) {
  Status skip = reason_to_skip(task);
  if (task.kind == TaskKind::kOpen) {
    task.state = TaskState::kPending;
    if (!skip.ok()) {
      task.result = std::move(skip);  // what it inherits comes before what its Completion has said
    }
    if (--task.parts == 0) {
      finish(task, section);
    }
    return;
  }
  if (!skip.ok()) {
    task.result = std::move(skip);
    end_unissued(task, section);
    return;
  }
  Lane& lane = *task.lane;
  if (task.kibibytes > 0 && lane.options.run_ahead_bytes > 0) {
    if (lane.run_ahead == nullptr) {
      lane.run_ahead = std::make_unique<RunAhead>(lane);
    }
    if (lane.run_ahead->must_hold(task)) {
      lane.run_ahead->hold(task);
      return;
    }
  }
  enqueue(task);
}

void Core::enqueue(Task& task) {
  if (task.lane->run_ahead != nullptr && task.kibibytes > 0) {
    task.lane->run_ahead->add(task);
  }
  task.state = TaskState::kReady;
  queue_of(task).add(task);
  ++ready_version_;
}

/// Out of where ready and held tasks wait.
void Core::take_out(Task& task) {
  if (task.state == TaskState::kHeld) {
    task.lane->run_ahead->release(task);
    task.lane->run_ahead->add(task);
  } else {
    queue_of(task).remove(task);
  }
}

/// Some task of the lane has ended, or no longer runs, and what that has unblocked is ready.
void Core::settle_lane(Lane& lane) {
  if (lane.run_ahead != nullptr) {
    lane.run_ahead->settle();
    while (Task* task = lane.run_ahead->next()) {
      lane.run_ahead->release(*task);
      enqueue(*task);
    }
  }
  if (lane.room_waiters != nullptr) [[unlikely]] {
    end_room_waits(lane);
  }
}

void Core::settle_unblocked(Section& section) {
  while (!section.unblocked.is_empty()) {
    make_ready(section.unblocked.take_first(), section);
  }
  while (section.unsettled != nullptr) {
    Lane& lane = *std::exchange(section.unsettled, section.unsettled->next_unsettled);
    lane.is_unsettled = false;
    settle_lane(lane);
  }
}

void Core::note_error(Lane& lane, const Status& status) {
  if (lane.first_error.ok() && status.code() != StatusCode::kCancelled) {
    lane.first_error = status;
  }
}

void Core::end_part(Task& task, Status status, Section& section) {
  if (!status.ok()) {
    note_error(*task.lane, status);
    // What the body itself threw says more than that its Completion was dropped by that.
    if (task.result.ok() || task.result.code() == StatusCode::kCancelled) {
      task.result = std::move(status);
    }
  }
  if (--task.parts == 0) {
    finish(task, section);
  }
}

void Core::finish(Task& task, Section& section) {
  Lane& lane = *task.lane;
  if (task.is_traced) [[unlikely]] {
    trace_finish(task, section);
  }
  for (Access& access : task.accesses()) {
    if (access.writes && !(task.result.ok() && access.variable->status.ok())) [[unlikely]] {
      access.variable->status = task.result;
    }
    remove_access(access, section.unblocked);
  }
  while (task.waiters != nullptr) {
    Waiter* waiter = std::exchange(task.waiters, task.waiters->next);
    end_wait(*waiter, lane, task.result);
  }
  lane.unlink(task);
  lane.finished.store(lane.finished.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  note_unsettled(lane, section);
  --unfinished_;
  while (lane.unfinished == 0 && lane.idle_waiters != nullptr) {
    Waiter* waiter = std::exchange(lane.idle_waiters, lane.idle_waiters->next);
    end_wait(*waiter, lane, std::exchange(lane.first_error, ok_status()));
  }
  task.chain = section.finished;
  section.finished = &task;
}

void Core::complete_pending(Task& task, Status status) {
  if (!is_alive()) {
    return;
  }
  status = named_error(task, std::move(status));
  Section section(*this);
  end_part(task, std::move(status), section);
  settle_unblocked(section);
}

void Core::retire(Task* finished) {
  while (finished != nullptr) {
    Task* task = std::exchange(finished, finished->chain);
    Task::destroy(task);
  }
}

void Core::cancel_lane(Lane& lane, Section& section) {
  std::vector<Task*> ready;
  for (Task* task = lane.first; task != nullptr; task = task->lane_next) {
    task->is_cancelled.store(true, std::memory_order_relaxed);
    const bool could_run = task->state == TaskState::kReady || task->state == TaskState::kHeld;
    if (could_run && (is_stopping_ || !task->run_on_error)) {
      ready.push_back(task);
    }
  }
  for (Task* task : ready) {
    take_out(*task);
    task->result = cancelled_task(*task);
    end_unissued(*task, section);
  }
  settle_unblocked(section);
}

void Core::cancel(const LaneRef& lane) {
  if (lane == nullptr || !check_handle(lane->core_id, lane->fork_generation, "lane").ok()) {
    return;
  }
  Section section(*this);
  cancel_lane(*lane, section);
}

Status Core::error_of(const Variable& variable) const {
  if (!variable.is_valid()) {
    return invalid_argument("the variable names nothing");
  }
  const VariableState& state = *variable.state_;
  FOREBAY_RETURN_IF_ERROR(check_handle(state.core_id, state.fork_generation, "variable"));
  std::lock_guard lock(mutex_);
  return state.status;
}

size_t Core::pending_tasks() {
  if (!is_alive()) {
    return 0;
  }
  Section section(*this);
  return unfinished_;
}

}  // namespace forebay::engine
