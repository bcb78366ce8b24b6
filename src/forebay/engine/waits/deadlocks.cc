// Refuses waits that could never end: what a task waits for must not come after any task on its own stack.
//
// Such a cycle is closed by the last of its waits, or by a task pushed into a lane that a task of the cycle
// waits for. Either makes the waiting thread check (Waiter::must_check); it holds the mutex only for pieces
// of the walk. A wait is registered before it checks, so if two waits close a cycle at once, both see it.
// Only one thread walks at a time, so one of them is refused.
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

/// Checks a task's wait, and ends it with an error if it could never end.
Status Waits::check_can_end(Waiter& waiter, const Awaited& awaited, Section& section) {
  take_turn(section);
  waiter.must_check = false;
  const Task& top = *waiter.task;
  const Task* const before = waiter.is_done ? nullptr : find_on_stack(awaited, top, section);
  Status status;
  if (before != nullptr && !waiter.is_done) {
    top.running->awaited = nullptr;  // so that the next walk no longer finds a cycle
    status = failed_precondition("task '{}' would wait for itself: what it waits for comes after task '{}'",
                                 top.name(), before->name());
  }
  end_turn();
  return status;
}

/// Returns a task on the stack ending with `top` that must end before `awaited` can, or nullptr.
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

/// Tasks older than every waiting task, and than those below the waiting ones on their stacks, only wait for
/// older ones.
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
