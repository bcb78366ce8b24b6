// What the trace is told of a task: when it was pushed, could have begun, began and ended, and what it waited
// for. Written without a word under the mutex, with two looks at the clock a task: a body begins where the
// one before it on its worker has ended, and a task is ready as soon as the last that it waited for has
// ended.
#include <algorithm>

#include "forebay/base/task_log.h"
#include "forebay/engine/core.h"
#include "forebay/engine/dependencies.h"

namespace forebay::engine {

TaskLog& Core::make_task_log() {
  const std::lock_guard lock(mutex_);
  if (held_log_ == nullptr) {
    held_log_ = trace_.add_task_log();
    task_log_.store(held_log_.get(), std::memory_order_release);
  }
  return *held_log_;
}

/// Its lane and executor are known. Without the mutex.
void Core::trace_make(Task& task, const TaskOptions& options) {
  TaskLog* const known = task_log_.load(std::memory_order_acquire);
  TaskLog& log = known != nullptr ? *known : make_task_log();
  const std::string_view queue =
      task.is_for_device ? std::string_view(task.executor->name) : std::string_view();
  TaskTimes& times = task.times();
  times.label = log.label_of({.name = options.name,
                              .site = task.site(),
                              .lane = task.lane->options.name,
                              .lane_id = task.lane->id,
                              .queue = queue});
  times.push = trace_.ticks();
}

/// It has been sorted in.
void Core::trace_push(Task& task) {
  if (task.blocked == 0) {
    return;
  }
  TaskLog& log = *held_log_;
  const auto visit = task.is_for_device ? visit_conflicts : visit_predecessors;
  for (const Access& access : task.accesses()) {
    visit(access, [&](Access& before) {
      log.add_edge(task.id, before.task().id);
      return true;
    });
  }
}

void Core::trace_ready(Task& task) {
  TaskTimes& times = task.times();
  times.ready = std::max(last_end_, times.push);
  times.begin = times.ready;
}

void Core::trace_finish(Task& task, Section& section) {
  const TaskTimes& times = task.times();
  const int64_t now = section.body_end != 0 ? section.body_end : trace_.ticks();
  const int64_t end = std::max(now, times.begin);
  last_end_ = std::max(last_end_, end);
  held_log_->add({.id = task.id,
                  .ticks = {times.push, times.ready, times.begin, times.issued, end},
                  .label = times.label,
                  .thread = thread_number() & 0x7fffffff,
                  .is_asynchronous = section.body_end == 0 && end > times.begin,
                  .kibibytes = task.kibibytes});
}

}  // namespace forebay::engine
