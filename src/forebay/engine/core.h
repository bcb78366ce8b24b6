// The inside of the Engine: one mutex over variables, lanes and queues, held for a fraction of a microsecond
// a task and never while a task's body, a destructor of what it captured, or a callback runs. Internal.
//
// Pushed tasks wait in an inbox; who takes the mutex to ask or change the graph sorts them in first. Workers
// are threads that take the next ready task, at most `limit` at once. They are started when there is
// something to run and nobody to run it. A worker whose task waits does not count, so another takes its
// place: waiting inside tasks cannot exhaust the workers. Who is woken when, and who looks into the inbox:
// see run.cc.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "forebay/engine/device_line.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/inbox.h"
#include "forebay/engine/pace.h"
#include "forebay/engine/ready_queue.h"
#include "forebay/engine/spin.h"
#include "forebay/engine/task.h"
#include "forebay/engine/threads.h"

namespace forebay::engine {

struct Worker {
  std::thread thread;
  std::condition_variable condition;
  std::atomic<bool> is_called{false};  // set under the mutex, also read while it spins
  bool is_spinning = false;
  bool is_watching = false;
};

/// A thread that runs the tasks given to it, one after the other.
class Executor {
 public:
  Executor(std::string name, size_t queue_id) : name(std::move(name)), queue(queue_id) {}

  const std::string name;
  uint32_t core_id = 0;
  uint32_t fork_generation = 0;
  ReadyQueue queue;
  Task* running = nullptr;  // the innermost on its thread
  std::thread thread;
  bool is_idle = false;  // parked and not notified yet
  std::condition_variable condition;
  std::unique_ptr<DeviceLine> line;  // constant; set: its tasks put work on a queue of a device
};

/// Of the exception that is being handled. The unwinding of a thread that is being ended goes through.
Status status_of_exception();

/// What `body` returns, or whatever it throws, made a Status.
template <class Body>
Status call_caught(Body&& body) {
  try {
    return body();
  } catch (...) {
    return status_of_exception();
  }
}

/// The same error with the task's name and site before its text. OK stays OK.
Status named_error(const Task& task, Status status);

/// Lets the thread of `waiter`, which waits for a task of `lane` or for all of them, go on with `status`.
void end_wait(Waiter& waiter, Lane& lane, Status status);

/// One parallel_for; lives on its caller's stack. See parallel_for.cc.
struct Loop;

/// What the calling thread is doing for an engine.
struct ThreadContext {
  Core* core = nullptr;
  Worker* worker = nullptr;                         // set on compute workers
  Executor* executor = nullptr;                     // set on executor threads
  Task* task = nullptr;                             // the innermost task of `core` on this thread
  const std::atomic<bool>* is_cancelled = nullptr;  // of that task, or of the one whose loop it helps with
};

ThreadContext& thread_context();

class Core : public std::enable_shared_from_this<Core> {
 public:
  explicit Core(const EngineOptions& options);
  ~Core();

  // What Engine offers under the same names; see there.
  void ensure_workers(int count);
  int workers() const;
  Variable new_variable();
  LaneRef new_lane(LaneOptions options);
  Result<ExecutorRef> executor(std::string_view name);
  Result<ExecutorRef> device_executor(std::string_view name, std::shared_ptr<DeviceQueue> queue);
  Status push(const LaneRef& lane, const TaskOptions& options, TaskBody body);
  Status push_async(const LaneRef& lane, const TaskOptions& options, AsyncBody body);
  Result<Completion> push_open(const LaneRef& lane, const TaskOptions& options);
  Status wait(const Variable& variable, const WaitOptions& options);
  Status wait_all(const LaneRef& lane, const WaitOptions& options);
  Status await_room(const LaneRef& lane, const WaitOptions& options);
  Status error_of(const Variable& variable) const;
  void cancel(const LaneRef& lane);
  Status parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body);
  bool step();
  size_t pending_tasks();
  void shutdown(bool join_executors);

  /// False in a process that was forked from the engine's.
  bool is_alive() const;
  void complete_pending(Task& task, Status status);

 private:
  /// A stretch with the mutex held, which begins with everything that was pushed sorted in. What must not
  /// happen under the mutex (waking workers, destroying tasks) is done when it is left.
  class Section {
   public:
    explicit Section(Core& core) : core_(core), lock_(core.mutex_, std::defer_lock) { enter(); }
    ~Section() {
      if (lock_.owns_lock()) {
        leave();
      }
    }
    void leave();
    /// At most so many tasks are sorted in.
    void enter(size_t sorts_in = kEverything) {
      lock_spinning(lock_);
      if (sorts_in > 0) {
        core_.sort_in(sorts_in, *this);
      }
    }
    void settle() {
      leave();
      enter();
    }
    /// Whether leaving would do anything but unlock.
    bool has_deferred() const {
      return finished != nullptr || core_.ready_version_ != core_.notified_version_ ||
             core_.is_open_ != core_.is_attended();
    }
    std::unique_lock<std::mutex>& lock() { return lock_; }
    int64_t body_end = 0;       // in ticks of the trace, while what a traced body's end brings about is done
    Task* finished = nullptr;   // to be destroyed
    TaskList unblocked;         // to be made ready; always empty when the section is left
    Lane* unsettled = nullptr;  // lanes with something to do when nothing is unblocked any more

   private:
    Core& core_;
    std::unique_lock<std::mutex> lock_;
  };
  static constexpr size_t kEverything = static_cast<size_t>(-1);

  // core.cc: the life of a task
  Status check(const Lane* lane, const TaskOptions& options) const;
  bool owns_all(const Lane* lane, const TaskOptions& options) const;
  Status check_handle(uint32_t core_id, uint32_t fork_generation, const char* what) const;
  Status check_push(const Lane* lane, const TaskOptions& options) const;
  Task* make_task(const LaneRef& lane, const TaskOptions& options);
  bool put_in_inbox(Task& task);
  void put(Task& task);
  size_t sorts_now() {
    const bool looks = pace_.looks_now();
    if (looks && (inbox_.has_hurry() || unsorted_.has_hurry)) {
      return kEverything;
    }
    return looks || sorted_ < unsorted_.tasks.size() ? pace_.sorts_now(unfinished_) : 0;
  }
  void sort_in(size_t most, Section& section);
  void sort_in(Task& task, Section& section);
  void take_inbox_contents();
  void forget_unhandled();
  void prefetch_next();
  void merge_accesses(Task& task);
  void forget_idle_lanes(Section& section);
  void finish(Task& task, Section& section);
  void settle_unblocked(Section& section);
  void make_ready(Task& task, Section& section);
  void make_unusual_ready(Task& task, Section& section);
  bool is_usual(const Task& task) const;
  Status reason_to_skip(const Task& task) const;
  Status inherited_error(const Task& task) const;
  void note_error(Lane& lane, const Status& status);
  void end_part(Task& task, Status status, Section& section);
  void retire(Task* finished);
  void cancel_lane(Lane& lane, Section& section);
  ReadyQueue& queue_of(const Task& task) { return task.executor != nullptr ? task.executor->queue : queue_; }
  void take_out(Task& task);
  void enqueue(Task& task);
  void settle_lane(Lane& lane);
  static void note_unsettled(Lane& lane, Section& section) {
    if (lane.has_interest() && !lane.is_unsettled) [[unlikely]] {
      lane.is_unsettled = true;
      lane.next_unsettled = std::exchange(section.unsettled, &lane);
    }
  }
  void end_room_waits(Lane& lane);

  // tracing.cc: what the trace is told
  void trace_make(Task& task, const TaskOptions& options);
  void trace_push(Task& task);
  void trace_ready(Task& task);
  void trace_finish(Task& task, Section& section);
  TaskLog& make_task_log();

  // run.cc: running tasks
  /// When its body ended, in ticks of the trace; 0: it is not traced. `begins`: the same of the body that
  /// ended just now on this thread.
  int64_t run(Task& task, Section& section, int64_t begins = 0);
  Status run_body(Task& task);
  void worker_loop(Worker& worker);
  void rest(Worker& worker, Section& section);
  void spin(Worker& worker, Section& section);
  void sleep(Worker& worker, Section& section);
  void watch(Worker& worker, Section& section);
  void note_start_failed(const std::system_error& error);
  Status start_executor(Executor& executor);
  void executor_loop(Executor& executor);
  bool is_attended() const {
    const bool is_full = limit_ > 0 && running_ >= limit_;
    const bool is_watched = running_ > 0 && watching_ > 0;
    return !is_stopping_.load(std::memory_order_relaxed) && (spinning_ > 0 || is_watched || is_full);
  }
  void keep_attended(Section& section) {
    if (!is_open_ || !is_attended()) {
      open_or_close(section);
    }
  }
  void open_or_close(Section& section);
  bool has_mover() const { return running_ > 0 && pace_.is_short(); }
  Worker* plan_wake();
  bool wants_worker() const;
  Worker* take_idle();
  void notify_parked();
  void start_worker();
  bool has_threads() const { return is_threaded_ && !start_failed_; }

  // wait.cc
  Status wait_in_list(Section& section, Waiter*& list, Lane& lane, const Awaited& awaited,
                      const WaitOptions& options);
  Status wait_until_done(Section& section, Waiter& waiter, const Awaited& awaited,
                         const WaitOptions& options);
  void park(Section& section, Waiter& waiter, bool helps, const WaitOptions& options);
  void release_place(Lane& lane);
  void regain_place(Lane& lane, Section& section);
  bool help(Section& section, Awaited awaited);
  Task* find_help(Awaited awaited, DeviceLine*& issued_on);
  bool may_run_here(const Task& task) const;
  Status refuse_deadlock(Awaited awaited);
  const Task* find_on_stack(Awaited awaited, const Task& top);
  void end_hopeless_waits(Task& pushed);
  bool marks_visit(Task& task);
  void add_roots(Awaited awaited, std::vector<Task*>& open);
  void add_predecessors(Task& task, std::vector<Task*>& open);
  void add_occupant(Task& task, std::vector<Task*>& open);
  Task* current_task() const;

  // device.cc: tasks for devices
  Status queue_behind_others(Task& task);
  Status queue_behind(DeviceLine& line, DeviceLine& other, uint64_t number, Section& section);
  void settle_issue(Task& task, Status status, Section& section);
  void end_unissued(Task& task, Section& section);
  void record_point(DeviceLine& line, Section& section);
  bool learn(DeviceLine& line, Section& section);
  void await_point(DeviceLine& line, Section& section);
  void fail(DeviceLine& line, const Status& error, Section& section);
  bool finish_passed(Section& section);
  void finish_issued(DeviceLine& line, Section& section);
  bool learn_here(Section& section);
  Status start_threads(Executor& executor);
  void learner_loop(Executor& executor);
  void end_learners(bool join);

  // parallel_for.cc
  bool run_piece(Loop& loop);
  void run_pieces(Loop& loop, Section& section);
  void help_loop(Section& section);

  const uint32_t core_id_;
  const uint32_t fork_generation_;
  const bool is_naive_;
  const bool is_threaded_;
  const Clock& clock_;
  Trace& trace_;

  std::atomic<TaskLog*> task_log_{nullptr};  // made for the first traced task

  Inbox& inbox_;
  std::atomic<bool> is_stopping_{false};  // set under the mutex

  alignas(kLineBytes) mutable std::mutex mutex_;
  bool is_open_ = false;      // the inbox
  Inbox::Contents unsorted_;  // taken out of the inbox,
  size_t sorted_ = 0;         // of whose tasks so many are sorted in
  Pace pace_;
  bool start_failed_ = false;   // the last try to start a worker: who waits runs tasks, too,
  int64_t start_again_ns_ = 0;  // and until then there is no other try
  int limit_ = 0;               // tasks that workers may run at once
  int running_ = 0;             // workers that run a task which does not wait
  int waking_ = 0;              // workers that were called and have not come yet
  int spinning_ = 0;            // workers without work that watch the inbox
  int watching_ = 0;            // workers without work that look again after a while: one at most
  int quiet_watches_ = 0;       // times in a row that nothing had happened then
  uint64_t moved_ = 0;          // tasks that workers took from the queue and ran
  uint64_t next_task_ = 1;
  uint64_t next_lane_ = 1;
  uint32_t visit_ = 0;          // mark of the current walk over the graph
  uint64_t ready_version_ = 0;  // grows whenever something may have become runnable
  uint64_t notified_version_ = 0;
  size_t unfinished_ = 0;
  std::shared_ptr<TaskLog> held_log_;  // keeps task_log_
  int64_t last_end_ = 0;               // the latest of all traced tasks so far, in ticks
  ReadyQueue queue_{0};
  std::vector<Loop*> loops_;  // one entry a worker that may join
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;  // the last one parked is the first one woken
  std::vector<std::shared_ptr<Executor>> executors_;
  std::vector<LaneRef> lanes_;
  std::vector<Waiter*> hands_;    // parked waiters that would run a task if one became ready
  std::vector<Waiter*> waiters_;  // all who wait, to be ended by shutdown
};

}  // namespace forebay::engine
