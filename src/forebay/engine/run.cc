// Running one task on whatever thread has taken it, and the end of all running.
#include <cxxabi.h>

#include <algorithm>

#include "forebay/engine/core.h"
#include "forebay/engine/threads.h"

namespace forebay::engine {

ThreadContext& thread_context() {
  thread_local ThreadContext context;
  return context;
}

Status status_of_exception() {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (const std::bad_alloc&) {
    return resource_exhausted("out of memory");
  } catch (const std::exception& error) {
    return internal_error("exception: {}", error.what());
  } catch (...) {
    return internal_error("an exception that is not a std::exception");
  }
}

int64_t Core::run(Task& task, Section& section, int64_t begins) {
  Lane& lane = *task.lane;
  ThreadContext& context = thread_context();
  const ThreadContext outside = context;
  task.state = TaskState::kRunning;
  ++lane.running;
  if (context.core != this) {
    context = {.core = this};
  }
  Running running{.outer = context.task};
  task.running = &running;
  if (running.outer != nullptr) {
    running.outer->running->inner = &task;
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
    task.times().begin = std::max(begins != 0 ? begins : trace_.ticks(), task.times().ready);
  }
  const int64_t begun_ns = is_timed ? clock_.now_ns() : 0;
  Status status = run_body(task);
  const int64_t body_ns = is_timed ? clock_.now_ns() - begun_ns : 0;
  const int64_t end = is_traced ? trace_.ticks() : 0;
  context = outside;
  section.enter(0);
  if (const size_t most = is_worker ? sorts_now() : kEverything; most > 0) {
    sort_in(most, section);
  }
  if (is_timed) {
    pace_.note(body_ns);
  }
  if (outside.executor != nullptr && outside.core == this) {
    outside.executor->running = outside.task;
  }
  task.running = nullptr;
  if (running.outer != nullptr) {
    running.outer->running->inner = nullptr;
  }
  if (lane.options.width > 0) {
    release_place(lane);
    ++ready_version_;
  } else {
    --lane.running;
  }
  if (task.is_for_device) [[unlikely]] {
    settle_issue(task, std::move(status), section);
    return end;
  }
  task.state = TaskState::kPending;
  section.body_end = end;
  if (task.parts == 1 && status.ok()) [[likely]] {
    finish(task, section);
  } else {
    end_part(task, std::move(status), section);
    note_unsettled(lane, section);
  }
  settle_unblocked(section);
  section.body_end = 0;
  return end;
}

Status Core::run_body(Task& task) {
  Status status = call_caught([&]() -> Status {
    if (task.is_for_device) [[unlikely]] {
      FOREBAY_RETURN_IF_ERROR(queue_behind_others(task));
      if (!task.result.ok()) {
        return ok_status();
      }
    }
    return task.body();
  });
  task.body = nullptr;  // what the body captured goes before anybody learns that the task is done
  return status.ok() ? status : named_error(task, std::move(status));
}

bool Core::step() {
  if (!is_alive()) {
    return false;
  }
  Section section(*this);
  Task* task = queue_.take_next();
  for (size_t i = 0; task == nullptr && i < executors_.size(); ++i) {
    if (!executors_[i]->thread.joinable()) {
      task = executors_[i]->queue.take_next();
    }
  }
  if (task == nullptr) {
    return learn_here(section);
  }
  run(*task, section);
  return true;
}

void Core::ensure_workers(int count) {
  if (!is_threaded_ || !is_alive()) {
    return;
  }
  Section section(*this);
  limit_ = std::max(limit_, count);
}

int Core::workers() const {
  if (!is_alive()) {
    return 0;
  }
  std::lock_guard lock(mutex_);
  return limit_;
}

void Core::shutdown(bool join_executors) {
  if (!is_alive()) {
    return;
  }
  {
    Section section(*this);
    if (is_stopping_.exchange(true)) {
      return;
    }
    for (const LaneRef& lane : lanes_) {
      cancel_lane(*lane, section);
    }
    for (Waiter* waiter : waiters_) {
      waiter->condition.notify_one();
    }
    for (const auto& worker : workers_) {
      worker->condition.notify_one();
    }
    for (const auto& executor : executors_) {
      executor->condition.notify_one();
    }
  }
  // No thread is started any more, so the lists stay as they are.
  for (const auto& worker : workers_) {
    end_thread(worker->thread, true);
  }
  for (const auto& executor : executors_) {
    end_thread(executor->thread, join_executors);
  }
  end_learners(join_executors);
}

}  // namespace forebay::engine
