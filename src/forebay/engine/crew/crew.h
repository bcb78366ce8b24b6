// Who does it: workers, executors and the threads that wait, who of them is woken, and who looks into the
// inbox. Internal; but for what is constant all of it is guarded by the engine's mutex, which is the crew's.
//
// Workers are threads that take the next ready task, at most `limit` at once. They are started when there is
// something to run and nobody to run it. A worker whose task waits does not count, so another takes its
// place: waiting inside tasks cannot exhaust the workers.
//
// The inbox is *attended* when some worker is sure to take the mutex soon: one that spins for a while before
// it sleeps, one that watches (sleeps for a short time only), or all of them, when all run a task: then
// nobody could run more anyway. Whenever the mutex is let go of, the inbox is attended or closed
// (keep_attended), and who puts a task into a closed inbox takes the mutex itself. What decides is all under
// the mutex, so that no task can be missed.
//
// When tasks are short (pace.h), the worker that runs them is the mover: nobody else is woken for what
// becomes ready, but one of the others watches, in case that a task turns out to be long after all.
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

#include "forebay/engine/crew/pace.h"
#include "forebay/engine/crew/section.h"
#include "forebay/engine/crew/spin.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/graph/graph.h"
#include "forebay/engine/process.h"

namespace forebay::engine {

class Devices;

struct Worker {
  std::thread thread;  // constant once started
  std::condition_variable condition;
  std::atomic<bool> is_called{false};  // set under the mutex, also read while it spins
  bool is_spinning FOREBAY_GUARDED = false;
  bool is_watching FOREBAY_GUARDED = false;
};

/// One parallel_for; lives on its caller's stack. See parallel_for.cc.
struct Loop;

/// What the calling thread is doing for an engine.
struct ThreadContext {
  Crew* crew = nullptr;
  Worker* worker = nullptr;                         // set on compute workers
  Executor* executor = nullptr;                     // set on executor threads
  Task* task = nullptr;                             // the innermost task of `crew` on this thread
  const std::atomic<bool>* is_cancelled = nullptr;  // of that task, or of the one whose loop it helps with
};

ThreadContext& thread_context();

class Crew {
 public:
  /// Threads keep `core` alive, of which all is.
  Crew(Core& core, const Identity& identity, Graph& graph, Devices& devices, const EngineOptions& options);

  bool is_alive() const { return identity_.is_alive(); }

  // See Engine.
  void ensure_workers(int count);
  int workers();
  Status parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body);
  bool step();

  // run.cc
  /// Leaves the section meanwhile. Returns when its body ended, in ticks of the trace; 0: it is not traced.
  /// `previous_end`: the same of the body that ended just now on this thread.
  int64_t run(Task& task, Section& section, int64_t previous_end = 0) FOREBAY_HOLDS;

  // executors.cc
  Result<ExecutorRef> executor(std::string_view name);
  ExecutorRef make_executor(std::string_view name) FOREBAY_HOLDS;
  /// One that make_executor() has made last; starts its thread, where there are any. Error: it stays unknown.
  Status add(const ExecutorRef& executor) FOREBAY_HOLDS;
  /// It gets no more tasks: its thread ends. Its queue's number is another's from now on.
  void forget(const ExecutorRef& executor) FOREBAY_HOLDS;

  // The calling thread
  Task* current_task() const;
  bool is_on_worker() const;
  bool is_on_executor(const Executor* executor) const;
  bool is_on_any_executor() const;

  // Who runs tasks
  bool is_threaded() const { return is_threaded_; }
  /// There are workers, or as many as are needed can be started.
  bool has_threads() const FOREBAY_HOLDS { return is_threaded_ && !start_failed_; }
  bool has_mover() const FOREBAY_HOLDS { return running_ > 0 && pace_.is_short(); }

  // Threads that wait
  void add_waiter(Waiter& waiter) FOREBAY_HOLDS { waiters_.push_back(&waiter); }
  void remove_waiter(Waiter& waiter) FOREBAY_HOLDS { std::erase(waiters_, &waiter); }
  const std::vector<Waiter*>& waiters() const FOREBAY_HOLDS { return waiters_; }
  /// A parked one that is woken when a task may have become ready.
  void add_helper(Waiter& waiter) FOREBAY_HOLDS { helpers_.push_back(&waiter); }
  void remove_helper(Waiter& waiter) FOREBAY_HOLDS { std::erase(helpers_, &waiter); }
  /// A worker that sleeps inside a task: another may take its place until it goes on.
  void note_asleep(bool is_worker) FOREBAY_HOLDS { running_ -= is_worker ? 1 : 0; }
  void note_awake(bool is_worker) FOREBAY_HOLDS { running_ += is_worker ? 1 : 0; }
  /// Sleeps until `is_ready`, or for a time: the mover may have to be helped then.
  void watch_mover(Section& section, std::condition_variable& condition,
                   absl::FunctionRef<bool()> is_ready) FOREBAY_HOLDS;

  // The end
  void wake_all() FOREBAY_HOLDS;
  /// After that, without the mutex.
  void join(bool join_executors);

 private:
  friend class Section;

  // run.cc
  Status run_body(Task& task);

  // executors.cc
  Status start(const ExecutorRef& executor) FOREBAY_HOLDS;
  void executor_loop(Executor& executor);

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
  bool wants_worker() const FOREBAY_HOLDS;
  Worker* take_idle() FOREBAY_HOLDS;
  void notify_parked() FOREBAY_HOLDS;

  // parallel_for.cc
  bool run_piece(Loop& loop);
  void run_pieces(Loop& loop, Section& section) FOREBAY_HOLDS;
  void help_loop(Section& section) FOREBAY_HOLDS;
  size_t invite(Loop& loop) FOREBAY_HOLDS;

  Core& core_;
  const Identity& identity_;
  Graph& graph_;
  Devices& devices_;
  const Clock& clock_;
  const bool is_threaded_;

  alignas(kLineBytes) std::mutex mutex_;
  bool is_open_ FOREBAY_GUARDED = false;  // the inbox
  Pace pace_ FOREBAY_GUARDED;
  int limit_ FOREBAY_GUARDED = 0;          // tasks that workers may run at once
  int running_ FOREBAY_GUARDED = 0;        // workers that run a task which does not wait
  int waking_ FOREBAY_GUARDED = 0;         // workers that were called and have not come yet
  int spinning_ FOREBAY_GUARDED = 0;       // workers without work that watch the inbox
  int watching_ FOREBAY_GUARDED = 0;       // workers without work that look again after a while: one at most
  int quiet_watches_ FOREBAY_GUARDED = 0;  // times in a row that nothing had happened then
  uint64_t moved_ FOREBAY_GUARDED = 0;     // tasks that workers took from the queue and ran
  uint64_t notified_version_ FOREBAY_GUARDED = 0;  // of what is ready, as parked threads know it
  bool start_failed_ FOREBAY_GUARDED = false;   // the last try to start a worker: who waits runs tasks, too,
  int64_t start_again_ns_ FOREBAY_GUARDED = 0;  // and until then there is no other try
  std::vector<Loop*> loops_ FOREBAY_GUARDED;    // one entry a worker that may join
  std::vector<std::unique_ptr<Worker>> workers_ FOREBAY_GUARDED;
  std::vector<Worker*> idle_ FOREBAY_GUARDED;  // the last one parked is the first one woken
  std::vector<ExecutorRef> executors_ FOREBAY_GUARDED;
  std::vector<Waiter*> helpers_ FOREBAY_GUARDED;
  std::vector<Waiter*> waiters_ FOREBAY_GUARDED;  // all of them, to be ended by shutdown
};

inline Section::Section(Crew& crew, size_t sorts_in) : crew_(crew), lock_(crew.mutex_, std::defer_lock) {
  enter(sorts_in);
}

// The lock is not known to the analysis, which knows the mutex by another name.
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
