// Refusing waits that could not end: what a task waits for must not come after any task on its own stack.
//
// Such a circle is closed by the last of its waits, or by a task that is pushed into a lane for which a task
// of the circle waits. Both make the thread that waits look (Waiter::must_check), with the mutex held only
// for pieces of the walk. A wait is registered before it looks, so of two that close a circle at once both
// see it and, as only one walks at a time, one is refused.
#include <algorithm>
#include <limits>

#include "forebay/engine/waits/waits.h"

namespace forebay::engine {
namespace {

bool is_on_stack(const Task& task, const Task* top) FOREBAY_HOLDS {
  while (top != nullptr && top != &task) {
    top = top->running->outer;
  }
  return top != nullptr;
}

}  // namespace

/// Of a task's wait; ends it if not.
Status Waits::check_can_end(Waiter& waiter, const Awaited& awaited, Section& section) {
  take_turn(section);
  waiter.must_check = false;
  const Task& top = *waiter.task;
  const Task* const before = waiter.is_done ? nullptr : find_on_stack(awaited, top, section);
  Status status;
  if (before != nullptr && !waiter.is_done) {
    top.running->awaited = nullptr;  // so that who walks next finds no circle any more
    status = failed_precondition("task '{}' would wait for itself: what it waits for comes after task '{}'",
                                 top.name(), before->name());
  }
  end_turn();
  return status;
}

/// A task on the stack that ends with `top` that has to end before what is awaited can.
const Task* Waits::find_on_stack(const Awaited& awaited, const Task& top, Section& section) {
  const uint64_t oldest = oldest_that_waits();
  Walk walk(graph_);
  walk.add(awaited);
  for (;;) {
    Task* const task = walk.next();
    if (task == nullptr && walk.is_at_end_of_piece()) {
      pause(walk, section);
    } else if (task == nullptr || is_on_stack(*task, &top)) {
      return task;
    } else if (task->id >= oldest) {
      walk.add_predecessors(*task);
    }
  }
}

/// What is older than all tasks that wait, and those below them on their stacks, waits for older ones only.
uint64_t Waits::oldest_that_waits() const {
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (const Waiter* const waiter : crew_.waiters()) {
    for (const Task* task = waiter->task; task != nullptr; task = task->running->outer) {
      oldest = std::min(oldest, task->id);
    }
  }
  return oldest;
}

}  // namespace forebay::engine
