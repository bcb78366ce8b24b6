// Workers: starting, waking and parking them.
#include <algorithm>
#include <system_error>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/base/usable_cpus.h"
#include "forebay/engine/crew/crew.h"
#include "forebay/engine/crew/threads.h"
#include "forebay/engine/graph/block_cache.h"

namespace forebay::engine {
namespace {

constexpr auto kWorkerSpinTime = std::chrono::microseconds(20);
constexpr auto kShortSleep = std::chrono::milliseconds(50);  // after that, memory is returned
constexpr int kQuietWatches = 10;
constexpr int64_t kStartAgainNs = 1'000'000'000;  // delay after a thread could not be started
// So that several tasks are taken out of the inbox at once.
constexpr auto kLookTime = std::chrono::nanoseconds(1000);

}  // namespace

Crew::Crew(KeptAlive& core, const Identity& identity, Graph& graph, DeviceTasks& devices,
           const EngineOptions& options)
    : core_(core),
      identity_(identity),
      graph_(graph),
      devices_(devices),
      clock_(options.clock != nullptr ? *options.clock : steady_clock()),
      is_threaded_(!options.naive && options.workers != 0) {
  limit_ = !is_threaded_ ? 0 : (options.workers < 0 ? usable_cpus() : options.workers);
}

// The lock is not known to the analysis, which knows the mutex by another name.
void Section::leave() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  crew_.keep_attended();
  Worker* const woken = crew_.plan_wake();
  crew_.notify_parked();
  Task* finished = crew_.graph_.take_finished();
  lock_.unlock();
  if (woken != nullptr) {
    woken->condition.notify_one();
  }
  while (finished != nullptr) {
    Task::destroy(std::exchange(finished, finished->chain));
  }
}

/// Opens or closes the inbox, so that it is open exactly when it is attended.
void Crew::open_or_close() {
  if (is_attended()) {
    if (!is_open_) {
      graph_.inbox().open();
      is_open_ = true;
    }
    return;
  }
  graph_.sort_in(Graph::kEverything);
  while (is_open_) {
    is_open_ = !graph_.inbox().close();
    graph_.sort_in(Graph::kEverything);
  }
}

// Wakes at most one worker; that one wakes the next if there is more to do.
Worker* Crew::plan_wake() {
  if (running_ + waking_ >= limit_ || graph_.is_stopping() || !wants_worker()) {
    return nullptr;
  }
  if (idle_.empty()) {
    // Otherwise one that does not run a task is about to look for one itself.
    if (may_start_worker()) {
      start_worker();
    }
    return nullptr;
  }
  Worker* worker = take_idle();
  ++waking_;
  worker->is_called.store(true, std::memory_order_release);
  return worker->is_spinning ? nullptr : worker;
}

bool Crew::wants_worker() const {
  const size_t coming = static_cast<size_t>(waking_);
  if (loops_.size() > coming) {
    return true;
  }
  if (has_mover()) {
    return watching_ + waking_ == 0;
  }
  return graph_.queue().runnable(coming + 1) > coming;
}

/// Takes a spinning worker, else the one that parked last and does not watch, else the watching one.
Worker* Crew::take_idle() {
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

void Crew::notify_parked() {
  const uint64_t version = graph_.ready_version();
  const bool is_new = std::exchange(notified_version_, version) != version;
  if (!is_new || (executors_.empty() && helpers_.empty())) {
    return;
  }
  for (const auto& executor : executors_) {
    if (executor->is_idle && executor->queue.runnable(1) > 0) {
      executor->wake();
    }
  }
  for (Waiter* const helper : helpers_) {
    helper->is_woken.store(true, std::memory_order_release);
    helper->condition.notify_one();
  }
}

void Crew::start_worker() {
  if (start_failed_ && clock_.now_ns() < start_again_ns_) {
    return;
  }
  workers_.push_back(std::make_unique<Worker>());
  try {
    const SignalsBlocked blocked;
    Worker* const worker = workers_.back().get();
    worker->thread = std::thread([self = core_.shared_from_this(), this, worker] { worker_loop(*worker); });
  } catch (const std::system_error& error) {
    workers_.pop_back();
    note_start_failed(error);
    return;
  }
  start_failed_ = false;
  ++waking_;
}

/// Waiting threads may now be the only ones left to run tasks, including those that would not help.
void Crew::note_start_failed(const std::system_error& error) {
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

void Crew::worker_loop(Worker& worker) {
  name_this_thread("forebay-worker");
  ThreadContext& context = thread_context();
  context = {.crew = this, .worker = &worker};
  Section section(*this);
  --waking_;
  int64_t ended = 0;  // when the previous body ended, if nothing has happened since
  while (!graph_.is_stopping()) {
    const bool others_move = has_mover();
    if (running_ < limit_) {
      Task* const task = others_move ? nullptr : graph_.queue().take_next();
      if (task != nullptr) {
        ++running_;
        ended = run(*task, section, ended, context);
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
    look_around(worker, others_move, section);
  }
}

/// Called when the worker has found nothing to run.
void Crew::look_around(Worker& worker, bool others_move, Section& section) {
  const bool has_unsorted = graph_.has_unsorted() || (!pace_.is_short() && graph_.inbox().has_tasks());
  if (has_unsorted && !others_move) {
    graph_.sort_in(kSortedAtOnce);
  } else if (section.has_deferred()) {
    section.step_out();
  } else {
    rest(worker, section);
  }
}

/// How many tasks a worker sorts in before it takes its next one.
size_t Crew::sorts_now() {
  const bool looks = pace_.looks_now();
  if (looks && graph_.has_hurry()) {
    return Graph::kEverything;
  }
  return looks || graph_.has_unsorted() ? pace_.sorts_now(graph_.unfinished()) : 0;
}

/// Rests until `worker` is called or should look again itself.
void Crew::rest(Worker& worker, Section& section) {
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

/// Watches the inbox for a while.
void Crew::spin(Worker& worker, Section& section) {
  worker.is_spinning = true;
  ++spinning_;
  section.leave();
  const auto is_wanted = [&] {
    return worker.is_called.load(std::memory_order_acquire) || graph_.inbox().has_tasks() ||
           graph_.is_stopping();
  };
  spin_until(kWorkerSpinTime, kLookTime, is_wanted);
  section.enter();
  --spinning_;
  worker.is_spinning = false;
}

void Crew::sleep(Worker& worker, Section& section) {
  const auto is_wanted = [&] { return worker.is_called.load() || graph_.is_stopping(); };
  keep_attended();
  if (section.has_deferred() || worker.condition.wait_for(section.lock(), kShortSleep, is_wanted)) {
    return;
  }
  section.leave();
  trim_blocks(kKeptWhenIdle);
  section.enter();
  graph_.trim();
  keep_attended();
  if (!section.has_deferred()) {
    worker.condition.wait(section.lock(), is_wanted);
  }
}

void Crew::watch(Worker& worker, Section& section) {
  worker.is_watching = true;
  ++watching_;
  keep_attended();
  if (!section.has_deferred()) {
    const uint64_t moved = moved_;
    const auto is_wanted = [&] { return worker.is_called.load() || graph_.is_stopping(); };
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

void Crew::watch_mover(Section& section, std::condition_variable& condition,
                       absl::FunctionRef<bool()> is_ready) {
  const uint64_t moved = moved_;
  if (!condition.wait_for(section.lock(), pace_.watch_time(), is_ready) && moved_ == moved) {
    pace_.note_long();
  }
}

void Crew::ensure_workers(int count) {
  if (!is_threaded_ || !is_alive()) {
    return;
  }
  const Section section(*this);
  limit_ = std::max(limit_, count);
}

int Crew::workers() {
  if (!is_alive()) {
    return 0;
  }
  const Section section(*this, 0);
  return limit_;
}

void Crew::wake_all() {
  for (Waiter* const waiter : waiters_) {
    waiter->condition.notify_one();
  }
  for (const auto& worker : workers_) {
    worker->condition.notify_one();
  }
  for (const auto& executor : executors_) {
    executor->condition.notify_one();
  }
}

// No more threads are started, so the lists no longer change.
void Crew::join(bool join_executors) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  for (const auto& worker : workers_) {
    end_thread(worker->thread, true);
  }
  for (const auto& executor : executors_) {
    end_thread(executor->thread, join_executors);
  }
  join_ended(join_executors);
}

}  // namespace forebay::engine
