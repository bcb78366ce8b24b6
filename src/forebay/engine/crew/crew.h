// Who runs tasks: workers, executors and waiting threads; which of them is woken; and who looks into the
// inbox. Internal. Everything but the constants is guarded by the engine's mutex, which the crew owns.
//
// Workers are threads that take the next ready task; at most `limit` of them run at once. A worker is started
// when there is something to run and no worker to run it. A worker whose task waits does not count towards
// the limit, so another takes its place: tasks that wait cannot exhaust the workers.
//
// The inbox is *attended* when some worker is sure to take the mutex soon: a worker that spins before it
// sleeps, a worker that watches (sleeps only briefly), or all workers when every one of them runs a task,
// because then nobody could run more anyway. Whenever the mutex is released, the inbox is either attended or
// closed (keep_attended). A thread that puts a task into a closed inbox takes the mutex itself. Everything
// that decides this is guarded by the mutex, so no task can be missed.
//
// When tasks are short (pace.h), the worker that runs them is the *mover*: no other worker is woken for tasks
// that become ready. One of the others watches, in case a task turns out to be long after all.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "forebay/engine/crew/device_tasks.h"
#include "forebay/engine/crew/pace.h"
#include "forebay/engine/crew/section.h"
#include "forebay/engine/crew/spin.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/graph/graph.h"
#include "forebay/engine/kept_alive.h"
#include "forebay/engine/process.h"

namespace forebay::engine {

struct Worker {
  std::thread thread;  // constant once started
  std::condition_variable condition;
  std::atomic<bool> is_called{false};  // set under the mutex; also read while the worker spins
  bool is_spinning FOREBAY_GUARDED = false;
  bool is_watching FOREBAY_GUARDED = false;
};

/// One call of parallel_for; lives on the caller's stack. See parallel_for.cc.
struct Loop;

/// What the calling thread is doing for an engine.
struct ThreadContext {
  Crew* crew = nullptr;
  Worker* worker = nullptr;      // set on compute workers
  Executor* executor = nullptr;  // set on executor threads
  Task* task = nullptr;          // the innermost task of `crew` on this thread
  // Of `task`, or of the task whose loop this thread helps with.
  const std::atomic<bool>* is_cancelled = nullptr;
};

ThreadContext& thread_context();

class Crew {
 public:
  /// Threads keep `core` alive; `core` owns all the other arguments.
  Crew(KeptAlive& core, const Identity& identity, Graph& graph, DeviceTasks& devices,
       const EngineOptions& options);

  bool is_alive() const { return identity_.is_alive(); }

  // See Engine.
  void ensure_workers(int count);
  int workers();
  Status parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body);
  bool step();

  // run.cc
  /// Releases the section while the body runs. Returns when the body ended, in trace ticks, or 0 if the task
  /// is not traced. `previous_end` is the same value for the body that just ended on this thread.
  int64_t run(Task& task, Section& section, int64_t previous_end = 0) FOREBAY_HOLDS;
  /// Takes the next ready task that has no thread of its own to run it: a worker's or, of executors without a
  /// thread, one of theirs. Null if there is none.
  Task* take_any() FOREBAY_HOLDS;
  /// The first ready task of the lane in the queue of the executor whose thread calls, where it stays. Null
  /// if there is none.
  Task* peek_own(const Lane& lane) const FOREBAY_HOLDS;

  // executors.cc
  Result<ExecutorRef> executor(std::string_view name);
  Result<ExecutorRef> new_executor(std::string_view name);
  ExecutorRef make_executor(std::string_view name) FOREBAY_HOLDS;
  /// After it, add() allocates nothing but its thread.
  void make_room_for_executor() FOREBAY_HOLDS;
  /// Registers `executor`, the last one that make_executor() made, and starts its thread if this engine has
  /// threads. On an error the executor stays unregistered.
  Status add(const ExecutorRef& executor) FOREBAY_HOLDS;
  /// The engine keeps the executor; the handle says when nobody outside does.
  ExecutorRef handle_of(ExecutorRef executor);
  /// Joins the threads of executors that are over; of those without threads, forgets them.
  void clear_ended();
  void join_ended(bool join);
  /// It gets no more tasks: its threads end. Its queue's number is another's from now on.
  void forget(const ExecutorRef& executor) FOREBAY_HOLDS;

  // The calling thread
  Task* current_task() const;
  bool is_on_worker() const;
  bool is_on_executor(const Executor* executor) const;
  bool is_on_any_executor() const;

  // Who runs tasks
  bool is_threaded() const { return is_threaded_; }
  /// Whether there are workers, or as many as needed can be started.
  bool has_threads() const FOREBAY_HOLDS { return is_threaded_ && !start_failed_; }
  bool has_mover() const FOREBAY_HOLDS { return running_ > 0 && pace_.is_short(); }

  // Waiting threads
  void add_waiter(Waiter& waiter) FOREBAY_HOLDS { waiters_.push_back(&waiter); }
  void remove_waiter(Waiter& waiter) FOREBAY_HOLDS { std::erase(waiters_, &waiter); }
  const std::vector<Waiter*>& waiters() const FOREBAY_HOLDS { return waiters_; }
  /// Adds a parked waiter that is woken whenever a task may have become ready.
  void add_helper(Waiter& waiter) FOREBAY_HOLDS { helpers_.push_back(&waiter); }
  void remove_helper(Waiter& waiter) FOREBAY_HOLDS { std::erase(helpers_, &waiter); }
  /// A worker fell asleep inside a task: another may take its place until it wakes.
  void note_asleep(bool is_worker) FOREBAY_HOLDS {
    running_ -= is_worker ? 1 : 0;
    asleep_ += is_worker ? 1 : 0;
  }
  void note_awake(bool is_worker) FOREBAY_HOLDS {
    running_ += is_worker ? 1 : 0;
    asleep_ -= is_worker ? 1 : 0;
  }
  /// Sleeps until `is_ready` or for a short time, after which the mover may need help.
  void watch_mover(Section& section, std::condition_variable& condition,
                   absl::FunctionRef<bool()> is_ready) FOREBAY_HOLDS;

  // Shutdown
  void wake_all() FOREBAY_HOLDS;
  /// Called after wake_all(), without the mutex.
  void join(bool join_executors);

 private:
  friend class Section;

  // run.cc
  int64_t run(Task& task, Section& section, int64_t previous_end, ThreadContext& context) FOREBAY_HOLDS;
  Status run_body(Task& task);

  // executors.cc
  Status start(const ExecutorRef& executor) FOREBAY_HOLDS;
  void executor_loop(const ExecutorRef& self);
  void release(const ExecutorRef& executor);
  void forget_threadless();

  // crew.cc
  void start_worker() FOREBAY_HOLDS;
  void note_start_failed(const std::system_error& error) FOREBAY_HOLDS;
  void worker_loop(Worker& worker);
  void look_around(Worker& worker, bool others_move, Section& section) FOREBAY_HOLDS;
  void rest(Worker& worker, Section& section) FOREBAY_HOLDS;
  void spin(Worker& worker, Section& section) FOREBAY_HOLDS;
  void sleep(Worker& worker, Section& section) FOREBAY_HOLDS;
  void watch(Worker& worker, Section& section) FOREBAY_HOLDS;
  size_t sorts_now() FOREBAY_HOLDS;

  bool is_attended() const FOREBAY_HOLDS {
    const bool is_full = limit_ > 0 && running_ >= limit_;
    const bool is_watched = running_ > 0 && watching_ > 0;
    return !graph_.is_stopping() && (spinning_ > 0 || is_watched || is_full);
  }
  void keep_attended() FOREBAY_HOLDS {
    if (!is_open_ || !is_attended()) {
      open_or_close();
    }
  }
  void open_or_close() FOREBAY_HOLDS;
  Worker* plan_wake() FOREBAY_HOLDS;
  /// One more than may run, which watches the inbox while the others run or change places.
  bool may_start_worker() const FOREBAY_HOLDS {
    return static_cast<int>(workers_.size()) - asleep_ <= limit_;
  }
  bool wants_worker() const FOREBAY_HOLDS;
  Worker* take_idle() FOREBAY_HOLDS;
  void notify_parked() FOREBAY_HOLDS;

  // parallel_for.cc
  bool run_piece(Loop& loop);
  void run_pieces(Loop& loop, Section& section) FOREBAY_HOLDS;
  void help_loop(Section& section) FOREBAY_HOLDS;
  size_t invite(Loop& loop) FOREBAY_HOLDS;

  KeptAlive& core_;
  const Identity& identity_;
  Graph& graph_;
  DeviceTasks& devices_;
  const Clock& clock_;
  const bool is_threaded_;

  alignas(kLineBytes) std::mutex mutex_;
  bool is_open_ FOREBAY_GUARDED = false;  // whether the inbox is open
  Pace pace_ FOREBAY_GUARDED;
  int limit_ FOREBAY_GUARDED = 0;          // how many tasks workers may run at once
  int running_ FOREBAY_GUARDED = 0;        // workers that run a task, not counting those whose task waits
  int asleep_ FOREBAY_GUARDED = 0;         // workers whose task waits
  int waking_ FOREBAY_GUARDED = 0;         // workers that were called and have not arrived yet
  int spinning_ FOREBAY_GUARDED = 0;       // idle workers that spin on the inbox
  int watching_ FOREBAY_GUARDED = 0;       // idle workers that look again after a short sleep; at most one
  int quiet_watches_ FOREBAY_GUARDED = 0;  // how many times in a row a watch found that nothing had happened
  uint64_t moved_ FOREBAY_GUARDED = 0;     // tasks that workers took from the queue and ran
  uint64_t notified_version_ FOREBAY_GUARDED = 0;  // the ready_version that parked threads were last told of
  // The last attempt to start a worker failed: waiting threads run tasks, too.
  bool start_failed_ FOREBAY_GUARDED = false;
  int64_t start_again_ns_ FOREBAY_GUARDED = 0;  // no worker is started before this time
  std::vector<Loop*> loops_ FOREBAY_GUARDED;    // one entry for each worker that may join
  std::vector<std::unique_ptr<Worker>> workers_ FOREBAY_GUARDED;
  std::vector<Worker*> idle_ FOREBAY_GUARDED;  // the worker that parked last is woken first
  std::vector<ExecutorRef> executors_ FOREBAY_GUARDED;
  std::vector<std::thread> ended_ FOREBAY_GUARDED;  // of executors that are forgotten, to be joined
  std::vector<Waiter*> helpers_ FOREBAY_GUARDED;
  std::vector<Waiter*> waiters_ FOREBAY_GUARDED;  // every waiting thread; shutdown ends their waits
};

inline Section::Section(Crew& crew, size_t sorts_in) : crew_(crew), lock_(crew.mutex_, std::defer_lock) {
  enter(sorts_in);
}

// The analysis knows the mutex under another name and cannot follow this lock.
inline void Section::enter(size_t sorts_in) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  lock_spinning(lock_);
  if (sorts_in > 0) {
    crew_.graph_.sort_in(sorts_in);
  }
}

inline bool Section::has_deferred() const {
  return crew_.graph_.has_finished() || crew_.notified_version_ != crew_.graph_.ready_version() ||
         crew_.is_open_ != crew_.is_attended();
}

}  // namespace forebay::engine
