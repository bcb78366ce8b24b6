// Workers and executors: who runs what, and who is woken for it.
#include <cxxabi.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <system_error>

#include "forebay/base/log.h"
#include "forebay/engine/core.h"

namespace forebay::engine {
namespace {

/// Blocks signals on this thread while it lives, so that threads started meanwhile never take those of the
/// process.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

void name_this_thread(std::string name) {
  name.resize(std::min<size_t>(name.size(), 15));  // the longest that the kernel takes
  pthread_setname_np(pthread_self(), name.c_str());
}

}  // namespace

ThreadContext& thread_context() {
  thread_local ThreadContext context;
  return context;
}

Status call_caught(absl::FunctionRef<Status()> body) {
  try {
    return body();
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

void Core::Section::leave() {
  Worker* woken = core_.plan_wake();
  core_.notify_parked();
  Task* retired = std::exchange(finished, nullptr);
  lock_.unlock();
  if (woken != nullptr) {
    woken->condition.notify_one();
  }
  if (retired != nullptr) {
    core_.retire(retired);
  }
}

// Wakes at most one; the one who comes wakes the next if there is more to do.
Worker* Core::plan_wake() {
  if (running_ + waking_ >= limit_ || is_stopping_) {
    return nullptr;
  }
  const size_t coming = static_cast<size_t>(waking_);
  if (loops_.size() <= coming && queue_.runnable(coming + 1) <= coming) {
    return nullptr;
  }
  if (idle_.empty()) {
    start_worker();
    return nullptr;
  }
  Worker* worker = idle_.back();
  idle_.pop_back();
  worker->is_woken = true;
  ++waking_;
  return worker;
}

void Core::notify_parked() {
  if (notified_version_ == ready_version_) {
    return;
  }
  notified_version_ = ready_version_;
  for (const auto& executor : executors_) {
    if (executor->is_idle && executor->queue.runnable(1) > 0) {
      executor->is_idle = false;
      executor->condition.notify_one();
    }
  }
  for (Waiter* hand : hands_) {
    hand->is_woken = true;
    hand->condition.notify_one();
  }
}

void Core::start_worker() {
  if (start_failed_) {
    return;
  }
  auto worker = std::make_unique<Worker>();
  try {
    SignalsBlocked blocked;
    worker->thread =
        std::thread([self = shared_from_this(), place = worker.get()] { self->worker_loop(*place); });
  } catch (const std::system_error& error) {
    // With no worker at all the waiters run the tasks.
    start_failed_ = workers_.empty();
    log_warning("cannot start a worker thread: {}", error.what());
    return;
  }
  workers_.push_back(std::move(worker));
  ++waking_;
}

void Core::worker_loop(Worker& worker) {
  name_this_thread("forebay-worker");
  ThreadContext& context = thread_context();
  context = {.core = this, .worker = &worker};
  Section section(*this);
  --waking_;
  while (!is_stopping_) {
    if (running_ < limit_) {
      if (!loops_.empty()) {
        help_loop(section);
        continue;
      }
      if (Task* task = queue_.take_next()) {
        ++running_;
        run(*task, section);
        --running_;
        continue;
      }
    }
    if (section.has_deferred()) {
      section.settle();
      continue;
    }
    worker.is_woken = false;
    idle_.push_back(&worker);
    worker.condition.wait(section.lock(), [&] { return worker.is_woken || is_stopping_; });
    if (worker.is_woken) {
      --waking_;
    }
  }
}

void Core::executor_loop(Executor& executor) {
  name_this_thread("forebay-" + executor.name);
  ThreadContext& context = thread_context();
  context = {.core = this, .executor = &executor};
  Section section(*this);
  while (!is_stopping_) {
    if (Task* task = executor.queue.take_next()) {
      run(*task, section);
      continue;
    }
    if (section.has_deferred()) {
      section.settle();
      continue;
    }
    executor.is_idle = true;
    executor.condition.wait(section.lock(), [&] { return !executor.is_idle || is_stopping_; });
  }
}

ExecutorRef Core::executor(std::string_view name) {
  auto made = std::make_shared<Executor>(std::string(name), 0);
  made->core_id = core_id_;
  made->fork_generation = fork_generation_;
  if (!is_alive()) {
    return made;  // every use of it says why it cannot be used
  }
  std::lock_guard lock(mutex_);
  for (const auto& executor : executors_) {
    if (executor->name == name) {
      return executor;
    }
  }
  if (is_stopping_) {
    return made;
  }
  made->queue = ReadyQueue(executors_.size() + 1);
  executors_.push_back(made);
  if (is_threaded_) {
    SignalsBlocked blocked;
    made->thread =
        std::thread([self = shared_from_this(), place = made.get()] { self->executor_loop(*place); });
  }
  return made;
}

void Core::run(Task& task, Section& section) {
  Lane& lane = *task.lane;
  ThreadContext& context = thread_context();
  const ThreadContext outside = context;
  task.state = TaskState::kRunning;
  ++lane.running;
  if (context.core != this) {
    context = {.core = this};
  }
  task.outer = context.task;
  context.task = &task;
  context.is_cancelled = &task.is_cancelled;
  Completion completion;
  if (std::holds_alternative<AsyncBody>(task.body)) {
    task.parts = 2;
    completion.core_ = shared_from_this();
    completion.task_ = &task;
  }
  section.leave();
  if (task.trace) {
    task.trace->start_ns = trace_.now_ns();
  }
  Status status = run_body(task, std::move(completion));
  context = outside;
  section.enter();
  --lane.running;
  if (lane.options.width > 0) {
    ++ready_version_;
  }
  task.state = TaskState::kPending;
  end_part(task, std::move(status), section);
  settle_unblocked(section);
}

Status Core::run_body(Task& task, Completion completion) {
  Status status = call_caught([&] {
    if (auto* body = std::get_if<TaskBody>(&task.body)) {
      return (*body)();
    }
    std::get<AsyncBody>(task.body)(std::move(completion));
    return ok_status();
  });
  task.body.emplace<OpenBody>();  // what the body captured goes before anybody learns that the task is done
  if (!status.ok() && !task.name.empty()) {
    status = annotate(status, fmt::format("task '{}'", task.name));
  }
  return status;
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
    return false;
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
    if (is_stopping_) {
      return;
    }
    is_stopping_ = true;
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
  const auto end_thread = [](std::thread& thread, bool join) {
    if (!thread.joinable()) {
      return;
    }
    if (join && thread.get_id() != std::this_thread::get_id()) {
      thread.join();
    } else {
      thread.detach();
    }
  };
  for (const auto& worker : workers_) {
    end_thread(worker->thread, true);
  }
  for (const auto& executor : executors_) {
    end_thread(executor->thread, join_executors);
  }
}

}  // namespace forebay::engine
