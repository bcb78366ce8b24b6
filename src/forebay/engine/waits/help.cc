// A waiting thread runs only what it waits for.
#include "forebay/engine/graph/dependencies.h"
#include "forebay/engine/waits/waits.h"

namespace forebay::engine {
namespace {

bool is_better(const Task& task, const Task* than) {
  if (than == nullptr) {
    return true;
  }
  return than->lane == task.lane ? runs_before(task, *than) : task.id < than->id;
}

/// A task queued on an executor also waits for the task that the executor's thread is running. If tasks of
/// two executors wait for each other's queues, each can only run its own.
void add_occupant(const Task& task, Walk& walk) FOREBAY_HOLDS {
  if (task.executor != nullptr && task.state == TaskState::kReady && task.executor->running != nullptr) {
    walk.add({.task = task.executor->running});
  }
}

}  // namespace

bool Waits::may_run_here(const Task& task) const {
  // A held task waits for other tasks of its lane, which workers run. Without workers it may run here.
  const bool could_run =
      task.state == TaskState::kReady || (task.state == TaskState::kHeld && !crew_.has_threads());
  if (!could_run || !task.has_place()) {
    return false;
  }
  return task.executor == nullptr || crew_.is_on_executor(task.executor) || !task.executor->has_thread;
}

/// Without workers, a thread outside the engine runs any ready task, because an open task may end through
/// tasks it does not depend on.
bool Waits::is_only_runner() const {
  return !crew_.has_threads() && crew_.current_task() == nullptr;
}

bool Waits::help(Section& section, const Awaited& awaited) {
  DeviceLine* issued_on = nullptr;
  Task* task = find_help_nearby(awaited);
  const bool must_help = !crew_.has_threads() || crew_.is_on_any_executor();
  if (task == nullptr && (must_help || awaited.lane == nullptr)) {
    task = find_help(section, awaited, must_help, issued_on);
  }
  if (task == nullptr && is_only_runner()) {
    task = crew_.take_any();
    if (task != nullptr) {
      crew_.run(*task, section);
      return true;
    }
  }
  if (task == nullptr) {
    return !crew_.is_threaded() &&
           ((issued_on != nullptr && devices_.learn(*issued_on, section)) || devices_.learn_here(section));
  }
  graph_.take_out(*task);
  crew_.run(*task, section);
  return true;
}

Task* Waits::find_help_nearby(const Awaited& awaited) {
  if (awaited.task != nullptr && may_run_here(*awaited.task)) {
    return awaited.task;  // ready, so it waits for nothing else
  }
  Task* const oldest = awaited.lane != nullptr ? graph_.queue().peek(*awaited.lane) : nullptr;
  return oldest != nullptr && may_run_here(*oldest) ? oldest : nullptr;
}

/// An open task may end through another task of its lane, which nothing says, so one that waits in this
/// executor's own queue may be needed. Not through those of other lanes: one of them may itself wait for a
/// task that stands still beneath this one.
Task* Waits::find_own(const Task& open) const {
  if (open.kind != TaskKind::kOpen || open.state == TaskState::kFinished || !crew_.is_on_any_executor()) {
    return nullptr;
  }
  Task* const own = crew_.peek_own(*open.lane);
  return own != nullptr && may_run_here(*own) ? own : nullptr;
}

/// A thread outside the engine looks no further than one piece of the walk: workers run the rest. Threads
/// that must help (there are no workers, or the executor is theirs) keep looking until they find something.
/// If there is nothing, `issued_on` is set to the device queue that has to progress first.
Task* Waits::find_help(Section& section, const Awaited& awaited, bool must_help, DeviceLine*& issued_on) {
  if (graph_.is_walked() && !must_help) {
    return nullptr;
  }
  take_turn(section);
  Task* best = nullptr;
  uint64_t oldest_issued = 0;
  {
    Walk walk(graph_);
    walk.add(awaited);
    for (;;) {
      Task* const task = walk.next();
      if (task == nullptr) {
        if (!walk.is_at_end_of_piece() || best != nullptr || !must_help) {
          break;
        }
        pause(walk, section);
        continue;
      }
      if (may_run_here(*task) && is_better(*task, best)) {
        best = task;
      }
      if (Task* const own = find_own(*task); own != nullptr && is_better(*own, best)) {
        best = own;
      }
      if (task->state == TaskState::kIssued && (issued_on == nullptr || task->id < oldest_issued)) {
        oldest_issued = task->id;
        issued_on = task->executor->line.get();
      }
      walk.add_predecessors(*task);
      add_occupant(*task, walk);
    }
  }
  end_turn();
  return best;
}

void Waits::take_turn(Section& section) {
  if (!graph_.is_walked()) [[likely]] {
    return;
  }
  ++turns_wanted_;
  section.leave();
  section.enter(0);
  turn_ended_.wait(section.lock(), [&]() FOREBAY_HOLDS { return !graph_.is_walked(); });
  --turns_wanted_;
}

/// Lets others go on for a moment.
void Waits::pause(Walk& walk, Section& section) {
  section.step_out();
  walk.begin_piece();
}

}  // namespace forebay::engine
