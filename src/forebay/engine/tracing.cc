// What the trace is told of a task: when it was pushed, could have begun, began and ended, and what it waited
// for. Written without a word under the mutex, with two looks at the clock a task: a body begins where the
// one before it on its worker has ended, and a task is ready as soon as the last that it waited for has
// ended.
#include <algorithm>

#include "forebay/base/task_log.h"
#include "forebay/engine/core.h"
#include "forebay/engine/dependencies.h"

namespace forebay::engine {

TaskLog& Core::task_log() {
  if (task_log_ == nullptr) {
    task_log_ = trace_.add_task_log();
  }
  return *task_log_;
}

/// It has been sorted in.
void Core::trace_push(Task& task) {
  if (task.blocked == 0) {
    return;
  }
  TaskLog& log = task_log();
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
  task_log().add(
      task.id,
      {.push = times.push, .ready = times.ready, .begin = times.begin, .issued = times.issued, .end = end},
      {.name = task.name(),
       .site = task.site(),
       .lane = task.lane->options.name,
       .lane_id = task.lane->id,
       .queue = task.is_for_device ? std::string_view(task.executor->name) : std::string_view()},
      {.thread = thread_number(),
       .is_asynchronous = section.body_end == 0 && end > times.begin,
       .kibibytes = task.kibibytes});
}

}  // namespace forebay::engine
