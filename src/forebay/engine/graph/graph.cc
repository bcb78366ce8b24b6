// The life of a task in the graph: unblocked, ready or skipped, finished.
#include "forebay/engine/graph/graph.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "forebay/engine/graph/dependencies.h"
#include "forebay/engine/graph/run_ahead.h"
#include "forebay/engine/process.h"

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

void end_wait(Waiter& waiter, Lane& lane, Status status) {
  --lane.waiters;
  if (waiter.task != nullptr) {
    // Cleared at once, not when the thread wakes: walks over the graph must not follow it to a destroyed
    // task.
    waiter.task->running->awaited = nullptr;
  }
  waiter.status = std::move(status);
  waiter.is_done.store(true, std::memory_order_release);
  waiter.condition.notify_one();
}

Graph::Graph(Trace& trace) : inbox_(take_inbox()), tracer_(trace) {
}

// No other thread refers to the graph any more.
Graph::~Graph() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  take_inbox_contents();
  take_inbox_contents();
  give_inbox(inbox_);
}

void Graph::add(const LaneRef& lane) {
  forget_idle_lanes();
  lane->id = next_lane_++;
  lanes_.push_back(lane);
}

void Graph::forget_queue(size_t id) {
  for (const LaneRef& lane : lanes_) {
    if (id < lane->queues.size()) {
      lane->queues[id].reset();
    }
  }
}

// A lane without handles gets no new tasks, but its last one may still be in the inbox. The inbox's lock
// ensures that such tasks are seen.
void Graph::forget_idle_lanes() {
  std::vector<Lane*> unheld;
  for (const LaneRef& lane : lanes_) {
    if (lane.use_count() == 1 && lane->unfinished == 0) {
      unheld.push_back(lane.get());
    }
  }
  if (unheld.empty()) {
    return;
  }
  sort_in(kEverything);
  take_inbox_contents();
  sort_in(kEverything);
  std::erase_if(lanes_, [&](const LaneRef& lane) FOREBAY_HOLDS {
    return lane->unfinished == 0 && std::ranges::find(unheld, lane.get()) != unheld.end();
  });
}

Status Graph::reason_to_skip(const Task& task) const {
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

Status Graph::inherited_error(const Task& task) const {
  for (const Access& access : task.accesses()) {
    if (access.reads && !access.variable->status.ok()) {
      return access.variable->status;
    }
  }
  return ok_status();
}

/// Whether the body will run as soon as somebody is free to run it.
bool Graph::is_sure_to_run(const Task& task) const {
  const bool is_plain = !task.is_for_device && task.kibibytes == 0 && task.kind == TaskKind::kPlain;
  if (!is_plain || task.is_cancelled.load(std::memory_order_relaxed) ||
      is_stopping_.load(std::memory_order_relaxed)) {
    return false;
  }
  return std::ranges::all_of(task.accesses(),
                             [](const Access& access) FOREBAY_HOLDS { return access.variable->status.ok(); });
}

void Graph::make_ready(Task& task) {
  if (task.is_traced) [[unlikely]] {
    tracer_.note_ready(task, last_end_);
  }
  if (is_sure_to_run(task)) [[likely]] {
    enqueue(task);
    return;
  }
  make_ready_or_end(task);
}

void Graph::make_ready_or_end(Task& task) {
  Status skip = reason_to_skip(task);
  if (task.kind == TaskKind::kOpen) {
    task.state = TaskState::kPending;
    if (!skip.ok()) {
      task.result = std::move(skip);  // an inherited error takes precedence over its Completion's result
    }
    if (--task.parts == 0) {
      finish(task);
    }
    return;
  }
  if (!skip.ok()) {
    task.result = std::move(skip);
    end_skipped(task);
  } else if (!must_hold(task)) {
    enqueue(task);
  }
}

/// Whether the task must be held because it takes more memory ahead of program order than its lane allows.
bool Graph::must_hold(Task& task) {
  Lane& lane = *task.lane;
  if (task.kibibytes == 0 || lane.options.run_ahead_bytes == 0) {
    return false;
  }
  if (lane.run_ahead == nullptr) {
    lane.run_ahead = std::make_unique<RunAhead>(lane);
  }
  if (!lane.run_ahead->must_hold(task, goes_on(lane))) {
    return false;
  }
  lane.run_ahead->hold(task);
  return true;
}

/// A task whose body did not run ends when everything it comes after has ended.
void Graph::end_skipped(Task& task) {
  if (!task.is_for_device || is_first(task)) {
    finish(task);
    return;
  }
  task.state = TaskState::kIssued;
  task.executor->line->append(task);
  task.executor->line->wake();
}

void Graph::enqueue(Task& task) {
  if (task.lane->run_ahead != nullptr && task.kibibytes > 0) {
    task.lane->run_ahead->add(task);
  }
  task.state = TaskState::kReady;
  queue_of(task).add(task);
  ++ready_version_;
}

/// Removes a ready or held task from where it waits.
void Graph::take_out(Task& task) {
  if (task.state == TaskState::kHeld) {
    task.lane->run_ahead->release(task);
    task.lane->run_ahead->add(task);
  } else {
    queue_of(task).remove(task);
  }
}

void Graph::update(Lane& lane) {
  if (lane.run_ahead != nullptr) {
    lane.run_ahead->drop_passed();
    while (Task* task = lane.run_ahead->next(goes_on(lane))) {
      lane.run_ahead->release(*task);
      enqueue(*task);
    }
  }
  while (lane.room_waiters != nullptr && has_room_for_more(lane)) [[unlikely]] {
    Waiter* waiter = std::exchange(lane.room_waiters, lane.room_waiters->next);
    end_wait(*waiter, lane, ok_status());
  }
}

// Half of the limit, so that a resumed pusher pushes many tasks before it waits again. Also when all of the
// lane waits for others to complete or push something, since the thread that waits for room may be one of
// them.
bool Graph::has_room_for_more(const Lane& lane) const {
  const bool is_roomy = lane.unfinished <= lane.options.most_queued / 2;
  const bool can_go_on = goes_on(lane) || (lane.run_ahead != nullptr && lane.run_ahead->holds_any());
  return is_roomy || !can_go_on;
}

void Graph::note_executor_waits(bool waits) {
  waiting_executors_ += waits ? 1 : -1;
  if (!waits) {
    return;
  }
  for (const LaneRef& lane : lanes_) {
    note_changed(*lane);
  }
  ready_unblocked();
}

void Graph::release_narrow_place(Lane& lane) {
  ++ready_version_;
  if (lane.resuming == nullptr) {
    --lane.running;
    return;
  }
  Waiter& next = *std::exchange(lane.resuming, lane.resuming->next);
  next.is_done.store(true, std::memory_order_release);
  next.condition.notify_one();
}

void Graph::ready_unblocked() {
  while (!unblocked_.is_empty()) {
    make_ready(unblocked_.take_first());
  }
  while (changed_ != nullptr) {
    Lane& lane = *std::exchange(changed_, changed_->next_changed);
    lane.is_changed = false;
    update(lane);
  }
}

void Graph::note_error(Lane& lane, const Status& status) {
  if (lane.first_error.ok() && status.code() != StatusCode::kCancelled) {
    lane.first_error = status;
  }
}

void Graph::end_part(Task& task, Status status) {
  if (!status.ok()) {
    note_error(*task.lane, status);
    // What the body threw says more than the cancellation of the Completion that it dropped by throwing.
    if (task.result.ok() || task.result.code() == StatusCode::kCancelled) {
      task.result = std::move(status);
    }
  }
  if (--task.parts == 0) {
    finish(task);
  }
}

void Graph::finish(Task& task) {
  Lane& lane = *task.lane;
  if (task.is_traced) [[unlikely]] {
    last_end_ = std::max(last_end_, tracer_.note_finished(task, body_end_));
  }
  for (Access& access : task.accesses()) {
    if (access.writes && !(task.result.ok() && access.variable->status.ok())) [[unlikely]] {
      access.variable->status = task.result;
    }
    remove_access(access, unblocked_);
  }
  while (task.waiters != nullptr) {
    Waiter* waiter = std::exchange(task.waiters, task.waiters->next);
    end_wait(*waiter, lane, task.result);
  }
  lane.unlink(task);
  lane.finished.store(lane.finished.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  note_changed(lane);
  --unfinished_;
  while (lane.unfinished == 0 && lane.idle_waiters != nullptr) {
    Waiter* waiter = std::exchange(lane.idle_waiters, lane.idle_waiters->next);
    end_wait(*waiter, lane, std::exchange(lane.first_error, ok_status()));
  }
  task.state = TaskState::kFinished;
  if (task.is_for_device) [[unlikely]] {
    task.executor->line->end_task();
  } else if (task.executor != nullptr) {
    task.executor->end_task();
  }
  task.chain = finished_;
  finished_ = &task;
}

void Graph::end_body(Task& task, Status status, int64_t end) {
  task.state = TaskState::kPending;
  if (end != 0) [[unlikely]] {
    body_end_ = end;
  }
  if (task.parts == 1 && status.ok()) [[likely]] {
    finish(task);
  } else {
    Lane& lane = *task.lane;
    end_part(task, std::move(status));
    note_changed(lane);
  }
  ready_unblocked();
  body_end_ = 0;
}

void Graph::trace_issue(Task& task) {
  last_end_ = std::max(last_end_, tracer_.note_issued(task));
}

void Graph::issue(Access& access) {
  issue_access(access, unblocked_);
}

void Graph::cancel(Lane& lane) {
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
    end_skipped(*task);
  }
  ready_unblocked();
}

bool Graph::stop() {
  if (is_stopping_.exchange(true)) {
    return false;
  }
  for (const LaneRef& lane : lanes_) {
    cancel(*lane);
  }
  return true;
}

}  // namespace forebay::engine
