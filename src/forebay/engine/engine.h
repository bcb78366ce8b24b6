// The asynchronous dependency engine. Tasks declare which variables they read and write, and run as soon as
// those declarations allow, on workers shared by all lanes.
//
// Order: if two tasks use a variable and at least one writes it, they run in the order in which they were
// pushed.
//
// Lane: a stream of work, such as a pipeline session or an array context. Its oldest ready task runs first,
// so that running ahead keeps as little alive as a serial run would. Lanes share the workers by weight.
//
// Errors stick to the variables that the failed task would have written. A task that reads such a variable is
// skipped, and the variables it writes get the original error. Every wait returns that error, any number of
// times, until a task that does not read the variable has written it.
//
// Devices: a task for a device queue only puts work on the queue. The next task on that queue waits for
// nothing; a task on another queue is ordered behind it by an event; host tasks run after the work is done. A
// wait registers on the variable itself, so unrelated work never delays it. A waiting thread may help, but
// only with what it waits for.
//
// Thread safety: any thread may call anything here, also from inside tasks. A wait inside a task gives up its
// worker and its place in the lane while it waits; a wait that could never end is refused. After fork(), the
// parent's handles are dead in the child: every call returns failed_precondition.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "forebay/base/clock.h"
#include "forebay/base/status.h"
#include "forebay/base/trace/trace.h"
#include "forebay/engine/variable.h"

namespace forebay::engine {

class Core;
class DeviceQueue;
class Lane;
class Executor;
struct Task;

/// Shared handles. A lane whose handles are gone still finishes its tasks.
using LaneRef = std::shared_ptr<Lane>;
/// A dedicated thread that runs the tasks given to it one after the other, for example "python", or tasks
/// that put work on a device queue.
using ExecutorRef = std::shared_ptr<Executor>;

struct EngineOptions {
  /// Number of compute workers. -1: one for each CPU. 0: none; tasks run inside step() and waits, so that
  /// tests decide what runs.
  int workers = -1;
  /// For debugging: no threads; push runs whatever is ready before it returns, in program order.
  bool naive = false;
  const Clock* clock = nullptr;  // nullptr: the system clock; must outlive the engine
  Trace* trace = nullptr;        // nullptr: the process's trace; must outlive the engine
};

struct LaneOptions {
  std::string name;
  // The most tasks of the lane that run at once on compute workers; 0: no limit. Waiting tasks do not count.
  // When there is room again, they continue before other tasks begin. Tasks of executors take no place.
  int width = 0;
  int weight = 1;            // share of the workers, relative to other lanes with ready tasks
  bool waiters_help = true;  // whether a waiting thread outside the engine may run tasks of this lane
  // How many more bytes than a serial run the lane's tasks may take, counted by TaskOptions::bytes. Above
  // that, tasks ahead of their turn in program order are held back, unless nothing else in the lane can run.
  // 0: no limit.
  uint64_t run_ahead_bytes = 0;
  // With more unfinished tasks than this the lane is crowded (see await_room); 0: never.
  size_t most_queued = 0;
};

struct TaskOptions {
  std::string_view name;  // for errors and the trace; copied
  std::string_view site;  // where the task is pushed, "file:line"; for errors and the trace; copied
  absl::Span<const Variable> reads;
  absl::Span<const Variable> writes;  // a variable in both lists is written, and the task inherits its error
  uint64_t bytes = 0;                 // memory the task takes for its outputs, which stays when it ends
  int priority = 0;                   // higher runs first within the lane, regardless of `order`
  uint64_t order = 0;                 // place in program order; 0: the order of pushes. Smaller runs first.
  ExecutorRef executor;               // nullptr: the compute workers
  bool run_on_error = false;  // run even if a variable it reads carries an error, or the lane was cancelled
};

struct WaitOptions {
  /// Called from time to time while the thread is parked, never while holding a lock. Returning true ends the
  /// wait with `cancelled`.
  std::function<bool()> interrupted;
  std::chrono::milliseconds poll_interval{50};
  bool help = true;  // false: never run tasks on this thread, unless it is inside a task
};

/// The obligation to report that an asynchronous task is done. Movable. Call complete() once, on any thread;
/// dropping the Completion completes the task as cancelled. One Completion is not thread safe.
class Completion {
 public:
  Completion() = default;
  Completion(Completion&& other) noexcept
      : core_(std::move(other.core_)), task_(std::exchange(other.task_, nullptr)) {}
  Completion& operator=(Completion&& other) noexcept;
  ~Completion() {
    if (task_ != nullptr) {
      drop();
    }
  }

  /// Finishes the task: its variables count as written (or carry the error), and tasks that depend on them
  /// may run.
  void complete(Status status);
  /// True when the task's lane was cancelled or the engine is shutting down: nobody wants the result any
  /// more.
  bool is_cancelled() const;
  explicit operator bool() const { return task_ != nullptr; }

 private:
  friend class Core;
  Completion(std::shared_ptr<Core> core, Task* task) : core_(std::move(core)), task_(task) {}
  Completion(const Completion&) = delete;
  void drop();

  std::shared_ptr<Core> core_;
  Task* task_ = nullptr;
};

using TaskBody = absl::AnyInvocable<Status()>;
using AsyncBody = absl::AnyInvocable<void(Completion)>;

class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  /// Calls shutdown().
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The process-wide engine. Made at the first call with one worker (see ensure_workers); a forked child
  /// gets a fresh one. Stopped when the process exits.
  static std::shared_ptr<Engine> process_engine();

  /// Allows at least `count` compute workers to run at once. Never lowers the number; has no effect on an
  /// engine without threads. Threads are started on demand.
  void ensure_workers(int count);
  int workers() const;

  Variable new_variable();
  LaneRef new_lane(LaneOptions options);
  /// Returns the serial executor with that name, starting it at the first call. Errors: resource_exhausted if
  /// its thread cannot be started (a later call tries again), failed_precondition after a fork or shutdown.
  Result<ExecutorRef> executor(std::string_view name);
  /// A serial executor of the caller's own, each call another one. It ends with its last handle, once its
  /// tasks are done. Errors: as executor().
  Result<ExecutorRef> new_executor(std::string_view name);
  /// Whether the calling thread is the executor's.
  bool is_on(const ExecutorRef& executor) const;

  /// A serial executor for tasks that put work on `queue` of a device and return, each call another one:
  /// their body has *issued* them then. A task is done when the queue has passed what its body has put there;
  /// only tasks for other queues of devices may be issued before, behind it. What the body captured goes when
  /// it returns: memory that the work uses has to be taken and given back in the order of the queue.
  ///
  /// It ends with its last handle, once its tasks are done; so does its hold on `queue`.
  ///
  /// An error of the queue goes to every task issued after the last one known to be done, and all that come:
  /// no task runs there any more. shutdown() waits until queues have done what they were given.
  /// Asynchronous and open tasks cannot be for a device (invalid_argument). resource_exhausted when no thread
  /// could be started.
  Result<ExecutorRef> device_executor(std::string_view name, std::shared_ptr<DeviceQueue> queue);

  /// Queues `body`. Errors: invalid_argument for a null handle or a handle of another engine,
  /// failed_precondition after a fork or shutdown; then nothing is queued and `body` is dropped. An error
  /// that the body returns or throws goes to the variables the task writes, prefixed with the task's name and
  /// site.
  Status push(const LaneRef& lane, const TaskOptions& options, TaskBody body);

  /// Like push, for work that finishes later: the task is done when its Completion completes. It occupies a
  /// place in the lane (width) only while `body` itself runs.
  Status push_async(const LaneRef& lane, const TaskOptions& options, AsyncBody body);

  /// Pushes a task without a body. It is done when its dependencies are done and its Completion has
  /// completed, in any order. Meant for joining many pieces of work: share the Completion among them, and the
  /// last one completes it. Never skipped. Runs no user code, so it may be called with locks held.
  Result<Completion> push_open(const LaneRef& lane, const TaskOptions& options);

  /// Blocks until the writes of `variable` pushed so far are done. Returns the error the variable then
  /// carries, or OK; failed_precondition if the calling task could never see the wait end; cancelled if
  /// interrupted or shut down.
  Status wait(const Variable& variable, const WaitOptions& options = {});

  /// Blocks until the lane has no unfinished task. Returns the first error of a task of the lane since the
  /// last wait_all, or OK; inherited errors and cancellations do not count. Returns failed_precondition to a
  /// task whose wait could never end, also when that becomes so because somebody pushes a task into the lane
  /// that must run after the waiting one.
  Status wait_all(const LaneRef& lane, const WaitOptions& options = {});

  /// Returns true, for one push in a few, when the lane has more than `most_queued` unfinished tasks: the
  /// pusher should call await_room(). Costs a nanosecond.
  bool is_crowded(const LaneRef& lane) const;

  /// Blocks until the lane has at most half of `most_queued` unfinished tasks, or until nothing in it can run
  /// because all of it waits for others to complete or push something. Returns at once inside a task. Does
  /// not report errors of tasks; cancelled if interrupted or shut down.
  Status await_room(const LaneRef& lane, const WaitOptions& options = {});

  /// Returns the error that `variable` carries now. Does not block.
  Status error_of(const Variable& variable) const;

  /// Completes the lane's unfinished tasks as cancelled as soon as their dependencies are done, without
  /// running them unless they set run_on_error. Running tasks see is_cancelled(). The lane stays usable.
  void cancel(const LaneRef& lane);

  /// Runs `body(0) ... body(count - 1)` on this thread and on workers that have nothing else to run, now or
  /// later. Returns when all pieces are done. An error ends it early; the error of the lowest failed piece is
  /// returned. Never waits for a worker to become free.
  Status parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body);

  /// Runs the next ready task, chosen as a worker would choose it, on this thread. Returns false when none is
  /// ready. For engines without workers.
  bool step();

  /// The number of unfinished tasks, over all lanes.
  size_t pending_tasks() const;

  /// Refuses new tasks, cancels queued ones, ends waits, and joins the threads once their running tasks have
  /// returned. Asynchronous tasks still running may complete later. Executor threads are joined only if
  /// `join_executors`.
  void shutdown(bool join_executors = true);

 private:
  std::shared_ptr<Core> core_;
};

/// Inside a task: true when the task was cancelled and should return soon. Elsewhere: false.
bool is_cancelled();

/// Calls Engine::parallel_for of the engine whose task runs on this thread. Elsewhere it is a plain loop.
Status parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body);

}  // namespace forebay::engine
