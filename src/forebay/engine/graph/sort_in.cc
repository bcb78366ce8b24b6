// From the inbox to a place in the graph; done by whichever thread holds the mutex next.
#include <algorithm>
#include <span>

#include "forebay/base/prefetch.h"
#include "forebay/engine/graph/dependencies.h"
#include "forebay/engine/graph/graph.h"

namespace forebay::engine {
namespace {

constexpr size_t kTasksAhead = 4;
constexpr size_t kVariablesAhead = 2;

/// While a task waits for a whole lane, others may push into that lane, even tasks that must run after the
/// waiting one. The waiting thread checks for that itself, since it may take long.
void ask_waiters(Lane& lane) FOREBAY_HOLDS {
  for (Waiter* waiter = lane.idle_waiters; waiter != nullptr; waiter = waiter->next) {
    if (waiter->task != nullptr && !std::exchange(waiter->must_check, true)) {
      waiter->is_woken.store(true, std::memory_order_release);
      waiter->condition.notify_one();
    }
  }
}

}  // namespace

// A variable named twice becomes one access. The order is kept: the first variable that carries an error
// passes it on.
void Graph::merge_accesses(Task& task) {
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

void Graph::sort_in(size_t most) {
  for (; most > 0; --most) {
    if (sorted_ == unsorted_.tasks.size()) {
      if (!inbox_.has_tasks()) {
        if (!unsorted_.unhandled.empty()) [[unlikely]] {
          forget_unhandled();
        }
        return;
      }
      take_inbox_contents();
    }
    prefetch_next();
    sort_in(*unsorted_.tasks[sorted_++]);
  }
}

/// Everything taken earlier has been sorted in.
void Graph::take_inbox_contents() {
  forget_unhandled();
  unsorted_.tasks.clear();
  sorted_ = 0;
  inbox_.take(unsorted_);
}

void Graph::forget_unhandled() {
  for (VariableState* variable : unsorted_.unhandled) {
    forget_handles(*variable);
  }
  unsorted_.unhandled.clear();
}

// Tasks come from the cache of the processor that pushed them, variables perhaps from another worker's.
void Graph::prefetch_next() {
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

void Graph::sort_in(Task& task) {
  task.id = next_task_++;
  task.order = task.order == 0 ? task.id : task.order;
  merge_accesses(task);
  for (Access& access : task.accesses()) {
    append_access(access);
  }
  task.lane->append(task);
  ++unfinished_;
  if (task.is_for_device) [[unlikely]] {
    ++task.executor->line->unfinished;
  } else if (task.executor != nullptr) {
    ++task.executor->unfinished;
  }
  if (task.is_traced) [[unlikely]] {
    tracer_.note_sorted_in(task);
  }
  if (task.blocked == 0) {
    make_ready(task);
    ready_unblocked();
  } else if (task.lane->idle_waiters != nullptr) [[unlikely]] {
    ask_waiters(*task.lane);
    ++ready_version_;  // a thread that waits for the lane may now have to help with what this task waits for
  }
}

void Graph::trim() {
  if (!has_unsorted()) {
    forget_unhandled();
    unsorted_ = {};
    sorted_ = 0;
  }
}

}  // namespace forebay::engine
