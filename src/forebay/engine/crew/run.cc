// Runs one task on whichever thread took it.
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/engine/crew/crew.h"

namespace forebay::engine {

ThreadContext& thread_context() {
  thread_local ThreadContext context;
  return context;
}

Task* Crew::current_task() const {
  const ThreadContext& context = thread_context();
  return context.crew == this ? context.task : nullptr;
}

bool Crew::is_on_worker() const {
  return thread_context().crew == this && thread_context().worker != nullptr;
}

bool Crew::is_on_any_executor() const {
  return thread_context().crew == this && thread_context().executor != nullptr;
}

bool Crew::is_on_executor(const Executor* executor) const {
  return is_on_any_executor() && thread_context().executor == executor;
}

int64_t Crew::run(Task& task, Section& section, int64_t previous_end) {
  ThreadContext& context = thread_context();
  if (context.crew == this) [[likely]] {
    return run(task, section, previous_end, context);
  }
  const ThreadContext outside = std::exchange(context, {.crew = this});
  const int64_t end = run(task, section, previous_end, context);
  context = outside;
  return end;
}

int64_t Crew::run(Task& task, Section& section, int64_t previous_end, ThreadContext& context) {
  Task* const outer = context.task;
  const std::atomic<bool>* const is_outer_cancelled = context.is_cancelled;
  task.state = TaskState::kRunning;
  graph_.note_running(task);
  Running running{.outer = outer};
  task.running = &running;
  if (outer != nullptr) [[unlikely]] {
    outer->running->inner = &task;
  }
  context.task = &task;
  if (context.executor != nullptr) {
    context.executor->running = &task;
  }
  context.is_cancelled = &task.is_cancelled;
  if (task.kind == TaskKind::kAsynchronous) {
    task.parts = 2;
  }
  const bool is_worker = context.worker != nullptr;
  const bool is_timed = is_worker && pace_.samples_next();
  section.leave();
  const bool is_traced = task.is_traced;
  if (is_traced) [[unlikely]] {
    graph_.tracer().note_begun(task, previous_end);
  }
  const int64_t begun_ns = is_timed ? clock_.now_ns() : 0;
  Status status = run_body(task);
  const int64_t body_ns = is_timed ? clock_.now_ns() - begun_ns : 0;
  const int64_t end = is_traced ? graph_.tracer().ticks() : 0;
  context.task = outer;
  context.is_cancelled = is_outer_cancelled;
  section.enter(0);
  if (const size_t most = is_worker ? sorts_now() : Graph::kEverything; most > 0) {
    graph_.sort_in(most);
  }
  if (is_timed) {
    pace_.note(body_ns);
  }
  if (context.executor != nullptr) {
    context.executor->running = outer;
  }
  task.running = nullptr;
  if (outer != nullptr) [[unlikely]] {
    outer->running->inner = nullptr;
  }
  graph_.note_not_running(task);
  if (task.is_for_device) [[unlikely]] {
    devices_.end_issue(task, std::move(status), section);
  } else {
    graph_.end_body(task, std::move(status), end);
  }
  return end;
}

Status Crew::run_body(Task& task) {
  Status status = caught([&]() -> Status {
    if (task.is_for_device) [[unlikely]] {
      FOREBAY_RETURN_IF_ERROR(devices_.begin_issue(task));
      if (!task.result.ok()) {
        return ok_status();
      }
    }
    return task.body();
  });
  task.body = nullptr;  // what the body captured is destroyed before anybody learns that the task is done
  return status.ok() ? status : named_error(task, std::move(status));
}

Task* Crew::take_any() {
  Task* task = graph_.queue().take_next();
  for (size_t i = 0; task == nullptr && i < executors_.size(); ++i) {
    if (!executors_[i]->has_thread) {
      task = executors_[i]->queue.take_next();
    }
  }
  return task;
}

Task* Crew::peek_own(const Lane& lane) const {
  return thread_context().executor->queue.peek(lane);
}

bool Crew::step() {
  if (!is_alive()) {
    return false;
  }
  Section section(*this);
  Task* const task = take_any();
  if (task == nullptr) {
    return devices_.learn_here(section);
  }
  run(*task, section);
  return true;
}

}  // namespace forebay::engine
