#include "forebay/engine/graph/task_tracer.h"

#include <algorithm>

#include "forebay/engine/graph/dependencies.h"
#include "forebay/engine/graph/executor.h"

namespace forebay::engine {

TaskLog& TaskTracer::make_log() {
  const MutexLock lock(making_);
  if (held_log_ == nullptr) {
    held_log_ = trace_.add_task_log();
    log_.store(held_log_.get(), std::memory_order_release);
  }
  return *held_log_;
}

void TaskTracer::note_made(Task& task, const TaskOptions& options) {
  TaskLog* const known = log_.load(std::memory_order_acquire);
  TaskLog& log = known != nullptr ? *known : make_log();
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

void TaskTracer::note_sorted_in(const Task& task) {
  if (task.blocked == 0) {
    return;
  }
  TaskLog& into = log();
  const auto visit = task.is_for_device ? visit_conflicts : visit_predecessors;
  for (const Access& access : task.accesses()) {
    visit(access, [&](Access& before) {
      into.add_edge(task.id, before.task().id);
      return true;
    });
  }
}

void TaskTracer::note_ready(Task& task, int64_t last_end) const {
  TaskTimes& times = task.times();
  times.ready = std::max(last_end, times.push);
  times.begin = times.ready;
}

void TaskTracer::note_begun(Task& task, int64_t previous_end) const {
  TaskTimes& times = task.times();
  times.begin = std::max(previous_end != 0 ? previous_end : trace_.ticks(), times.ready);
}

int64_t TaskTracer::note_issued(Task& task) const {
  task.times().issued = trace_.ticks();
  return task.times().issued;
}

int64_t TaskTracer::note_finished(Task& task, int64_t body_end) {
  const TaskTimes& times = task.times();
  const int64_t now = body_end != 0 ? body_end : trace_.ticks();
  const int64_t end = std::max(now, times.begin);
  log().add({.id = task.id,
             .ticks = {times.push, times.ready, times.begin, times.issued, end},
             .label = times.label,
             .thread = thread_number() & 0x7fffffff,
             .is_asynchronous = body_end == 0 && end > times.begin,
             .kibibytes = task.kibibytes});
  return end;
}

}  // namespace forebay::engine
