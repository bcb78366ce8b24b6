// Workers and executors: who runs what, who is woken for it, and who looks into the inbox.
//
// The inbox is *attended* when some worker is sure to take the mutex soon: one that spins for a while before
// it sleeps, one that watches (sleeps for a short time only), or all of them, when all run a task: then
// nobody could run more anyway. Whenever the mutex is let go of, the inbox is attended or closed
// (keep_attended), and who puts a task into a closed inbox takes the mutex itself. What decides is all under
// the mutex, so that no task can be missed.
//
// When tasks are short (pace.h), the worker that runs them is the mover: nobody else is woken for what
// becomes ready, but one of the others watches, in case that a task turns out to be long after all.
#include <algorithm>
#include <system_error>

#include "forebay/base/log.h"
#include "forebay/engine/block_cache.h"
#include "forebay/engine/core.h"
#include "forebay/engine/threads.h"

namespace forebay::engine {
namespace {

constexpr auto kWorkerSpinTime = std::chrono::microseconds(20);
constexpr auto kShortSleep = std::chrono::milliseconds(50);  // after it, memory goes back
constexpr int kQuietWatches = 10;
constexpr int64_t kStartAgainNs = 1'000'000'000;            // after a thread could not be started
constexpr auto kLookTime = std::chrono::nanoseconds(1000);  // some tasks to be taken out of the inbox at once

}  // namespace

void Core::Section::leave() {
  core_.keep_attended(*this);
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

/// The inbox, so that it is open just when it is attended.
void Core::open_or_close(Section& section) {
  if (is_attended()) {
    if (!is_open_) {
      inbox_.open();
      is_open_ = true;
    }
    return;
  }
  sort_in(kEverything, section);
  while (is_open_) {
    is_open_ = !inbox_.close();
    sort_in(kEverything, section);
  }
}

// Wakes at most one; the one who comes wakes the next if there is more to do.
Worker* Core::plan_wake() {
  if (running_ + waking_ >= limit_ || is_stopping_.load(std::memory_order_relaxed) || !wants_worker()) {
    return nullptr;
  }
  if (idle_.empty()) {
    start_worker();
    return nullptr;
  }
  Worker* worker = take_idle();
  ++waking_;
  worker->is_called.store(true, std::memory_order_release);
  return worker->is_spinning ? nullptr : worker;
}

bool Core::wants_worker() const {
  const size_t coming = static_cast<size_t>(waking_);
  if (loops_.size() > coming) {
    return true;
  }
  if (has_mover()) {
    return watching_ + waking_ == 0;
  }
  return queue_.runnable(coming + 1) > coming;
}

/// One that spins, else the one that parked last and does not watch, else the one that does.
Worker* Core::take_idle() {
  auto taken = std::ranges::find_if(idle_, &Worker::is_spinning);
  if (taken == idle_.end()) {
    taken = idle_.end() - 1;
    if ((*taken)->is_watching && taken != idle_.begin()) {
      --taken;
    }
  }
  Worker* const worker = *taken;
  idle_.erase(taken);
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
    hand->is_woken.store(true, std::memory_order_release);
    hand->condition.notify_one();
  }
}

void Core::start_worker() {
  if (start_failed_ && clock_.now_ns() < start_again_ns_) {
    return;
  }
  workers_.push_back(std::make_unique<Worker>());
  try {
    const SignalsBlocked blocked;
    Worker* const worker = workers_.back().get();
    worker->thread = std::thread([self = shared_from_this(), worker] { self->worker_loop(*worker); });
  } catch (const std::system_error& error) {
    workers_.pop_back();
    note_start_failed(error);
    return;
  }
  start_failed_ = false;
  ++waking_;
}

/// Who waits may be the only ones left to run something: those who do not help, too.
void Core::note_start_failed(const std::system_error& error) {
  start_again_ns_ = clock_.now_ns() + kStartAgainNs;
  if (std::exchange(start_failed_, true)) {
    return;
  }
  log_warning("cannot start a worker thread, so threads that wait run tasks: {}", error.what());
  for (Waiter* const waiter : waiters_) {
    waiter->is_woken.store(true, std::memory_order_release);
    waiter->condition.notify_one();
  }
}

void Core::worker_loop(Worker& worker) {
  name_this_thread("forebay-worker");
  ThreadContext& context = thread_context();
  context = {.core = this, .worker = &worker};
  Section section(*this);
  --waking_;
  int64_t ended = 0;  // when the body before did, if nothing has happened since
  while (!is_stopping_.load(std::memory_order_relaxed)) {
    const bool others_move = has_mover();
    if (running_ < limit_) {
      Task* const task = others_move ? nullptr : queue_.take_next();
      if (task != nullptr) {
        ++running_;
        ended = run(*task, section, ended);
        --running_;
        ++moved_;
        continue;
      }
      if (!loops_.empty()) {
        help_loop(section);
        continue;
      }
    }
    ended = 0;
    const bool has_unsorted = sorted_ < unsorted_.tasks.size() || (!pace_.is_short() && inbox_.has_tasks());
    if (has_unsorted && !others_move) {
      sort_in(kSortedAtOnce, section);
    } else if (section.has_deferred()) {
      section.settle();
    } else {
      rest(worker, section);
    }
  }
}

/// Until `worker` is called, or should look for itself.
void Core::rest(Worker& worker, Section& section) {
  worker.is_called.store(false, std::memory_order_relaxed);
  idle_.push_back(&worker);
  if (spinning_ == 0 && !has_mover()) {
    spin(worker, section);
  }
  const bool may_be_late = has_mover() || quiet_watches_ < kQuietWatches;
  if (limit_ > 1 && pace_.is_short() && watching_ == 0 && may_be_late) {
    watch(worker, section);
  } else {
    sleep(worker, section);
  }
  if (worker.is_called.load(std::memory_order_relaxed)) {
    --waking_;
    quiet_watches_ = 0;
  } else {
    std::erase(idle_, &worker);
  }
}

/// Looks into the inbox for a while.
void Core::spin(Worker& worker, Section& section) {
  worker.is_spinning = true;
  ++spinning_;
  section.leave();
  const auto is_wanted = [&] {
    return worker.is_called.load(std::memory_order_acquire) || inbox_.has_tasks() || is_stopping_.load();
  };
  spin_until(kWorkerSpinTime, kLookTime, is_wanted);
  section.enter();
  --spinning_;
  worker.is_spinning = false;
}

void Core::sleep(Worker& worker, Section& section) {
  const auto is_wanted = [&] { return worker.is_called.load() || is_stopping_.load(); };
  keep_attended(section);
  if (section.has_deferred() || worker.condition.wait_for(section.lock(), kShortSleep, is_wanted)) {
    return;
  }
  section.leave();
  trim_blocks(kKeptWhenIdle);
  section.enter();
  if (unsorted_.tasks.size() == sorted_) {
    forget_unhandled();
    unsorted_ = {};
    sorted_ = 0;
  }
  keep_attended(section);
  if (!section.has_deferred()) {
    worker.condition.wait(section.lock(), is_wanted);
  }
}

void Core::watch(Worker& worker, Section& section) {
  worker.is_watching = true;
  ++watching_;
  keep_attended(section);
  if (!section.has_deferred()) {
    const uint64_t moved = moved_;
    const auto is_wanted = [&] { return worker.is_called.load() || is_stopping_.load(); };
    const bool is_called = worker.condition.wait_for(section.lock(), pace_.watch_time(), is_wanted);
    const bool is_quiet = !is_called && moved_ == moved;
    if (is_quiet && running_ > 0) {
      pace_.note_long();
    } else if (!is_called) {
      pace_.note_progress();
    }
    quiet_watches_ = is_quiet ? quiet_watches_ + 1 : 0;
  }
  --watching_;
  worker.is_watching = false;
}

void Core::executor_loop(Executor& executor) {
  name_this_thread("forebay-" + executor.name);
  ThreadContext& context = thread_context();
  context = {.core = this, .executor = &executor};
  Section section(*this);
  while (!is_stopping_.load(std::memory_order_relaxed)) {
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

Result<ExecutorRef> Core::executor(std::string_view name) {
  FOREBAY_RETURN_IF_ERROR(check_handle(core_id_, fork_generation_, "engine"));
  std::lock_guard lock(mutex_);
  for (const auto& executor : executors_) {
    if (executor->name == name && !executor->line) {
      return executor;
    }
  }
  if (is_stopping_) {
    return failed_precondition("the engine is shut down");
  }
  auto made = std::make_shared<Executor>(std::string(name), executors_.size() + 1);
  made->core_id = core_id_;
  made->fork_generation = fork_generation_;
  executors_.push_back(made);
  if (is_threaded_) {
    const Status started = start_executor(*made);
    if (!started.ok()) {
      executors_.pop_back();
      return started;
    }
  }
  return made;
}

Status Core::start_executor(Executor& executor) {
  try {
    const SignalsBlocked blocked;
    executor.thread = std::thread([self = shared_from_this(), &executor] { self->executor_loop(executor); });
  } catch (const std::system_error& error) {
    return resource_exhausted("cannot start a thread for the executor '{}': {}", executor.name, error.what());
  }
  return ok_status();
}

}  // namespace forebay::engine
