// The asynchronous dependency engine: tasks say which variables they read and write, and run as soon as that
// allows, on workers shared by all lanes.
//
// Order: two tasks of which one writes a variable that both use run in the order in which they were pushed.
//
// Lane: a stream of work (a pipeline session, an array context). Among its ready tasks the oldest runs first,
// so that run-ahead keeps as little alive as a serial run would. Lanes share the workers by weight.
//
// Errors stick to the variables that the failed task would have written. Each reader of such a variable is
// skipped, and its own variables get the original error, which every wait returns, any number of times, until
// a task that does not read the variable has written it.
//
// Devices: a task for a queue of a device only puts work there. The next one on that queue needs nothing, one
// on another queue comes behind it by an event, and what the host does comes after the work.
// Waiting registers on the variable itself, so it is never delayed by unrelated work. A waiter may help, but
// only with what it waits for.
//
// Thread safety: everything here may be called from any thread, also from inside tasks. A wait from inside a
// task gives its worker and its place in the lane back while it waits; one that could never end is refused.
// After fork(), the handles of the parent are dead in the child: every call returns failed_precondition.
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
#include "forebay/engine/graph/variable.h"

namespace forebay::engine {

class Core;
class DeviceQueue;
class Lane;
class Executor;
struct Task;

/// Shared handles; a lane whose handles are gone still finishes its tasks.
using LaneRef = std::shared_ptr<Lane>;
/// A thread of its own that runs the tasks given to it one after the other, e.g. "python", or those that put
/// work on a queue of a device.
using ExecutorRef = std::shared_ptr<Executor>;

struct EngineOptions {
  /// Compute workers; -1: one a CPU. 0: none at all, tasks run in step() and in waits, so that tests choose
  /// what runs.
  int workers = -1;
  /// For debugging: no threads; push runs whatever is ready before it returns, in program order.
  bool naive = false;
  const Clock* clock = nullptr;  // nullptr: the machine's; must outlive the engine
  Trace* trace = nullptr;        // nullptr: the process's; must outlive the engine
};

struct LaneOptions {
  std::string name;
  // Most tasks of the lane that run at once on threads; 0: no limit. Tasks that wait do not count, and go on
  // when there is room again, before others begin.
  int width = 0;
  int weight = 1;            // share of the workers, against other lanes with ready tasks
  bool waiters_help = true;  // whether a thread outside the engine that waits may run tasks of this lane
  // How much more memory than a serial run the lane's tasks may take, in bytes, by TaskOptions::bytes: what
  // runs before its turn in program order is held back above it, unless nothing else of the lane can run. 0:
  // no limit.
  uint64_t run_ahead_bytes = 0;
  size_t most_queued = 0;  // unfinished tasks above which the lane is crowded (see await_room); 0: never
};

struct TaskOptions {
  std::string_view name;  // for errors and the trace; copied
  std::string_view site;  // where it is pushed, "file:line"; the same
  absl::Span<const Variable> reads;
  absl::Span<const Variable> writes;  // a variable in both lists is written, and its error is inherited
  uint64_t bytes = 0;                 // memory that it takes for what it writes, which stays when it ends
  int priority = 0;                   // higher runs first within the lane, whatever the order
  uint64_t order = 0;                 // place in program order; 0: the order of pushes. Smaller runs first.
  ExecutorRef executor;               // none: the compute workers
  bool run_on_error =
      false;  // run even if a variable it reads carries an error (or the task's lane was cancelled)
};

struct WaitOptions {
  /// Asked from time to time while the thread is parked, never with a lock held; true ends the wait with
  /// `cancelled`.
  std::function<bool()> interrupted;
  std::chrono::milliseconds poll_interval{50};
  bool help = true;  // false: never run tasks on this thread, unless it is inside a task
};

/// The duty to say when an asynchronous task is done. Movable; complete() once, on any thread. One that is
/// dropped completes its task as cancelled. Not thread safe itself.
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

  /// Ends the task: its variables are written (or carry the error), what depended on them may run.
  void complete(Status status);
  /// True when the task's lane was cancelled or the engine shuts down: the answer is no longer wanted.
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
  /// shutdown().
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The engine of this process, made at the first call with one worker (see ensure_workers); in a
  /// forked child a fresh one. It is stopped when the process exits.
  static std::shared_ptr<Engine> process_engine();

  /// Lets at least `count` compute workers run at once; never fewer than before, no effect on an engine
  /// without threads. Threads are started when they are needed.
  void ensure_workers(int count);
  int workers() const;

  Variable new_variable();
  LaneRef new_lane(LaneOptions options);
  /// The serial executor of that name, started at the first call. Errors: resource_exhausted when its thread
  /// could not be started (a later call tries again), failed_precondition after fork or shutdown.
  Result<ExecutorRef> executor(std::string_view name);

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

  /// Queues `body`. Errors (nothing is queued then, `body` is dropped): invalid_argument for a handle that
  /// names nothing or is another engine's, failed_precondition after fork or shutdown. What the body returns
  /// or throws goes to the variables it writes, with the task's name and site before its text.
  Status push(const LaneRef& lane, const TaskOptions& options, TaskBody body);

  /// As push, for work that finishes later: the task is done when its Completion is. It holds a place in the
  /// lane (width) only while `body` itself runs.
  Status push_async(const LaneRef& lane, const TaskOptions& options, AsyncBody body);

  /// A task without a body: it is done when its dependencies are and the Completion has completed, in any
  /// order. For joins of many: hand shares of the Completion to those who finish, the last one completes it.
  /// Never skipped. Runs no code of anybody's, so it may be called with locks held.
  Result<Completion> push_open(const LaneRef& lane, const TaskOptions& options);

  /// Returns when the writes of `variable` that were pushed before are done: the error it carries then, or
  /// OK. failed_precondition when the task that calls could never see that end; cancelled when interrupted or
  /// shut down.
  Status wait(const Variable& variable, const WaitOptions& options = {});

  /// Returns when the lane has no unfinished task. The first error of a task of the lane since the last
  /// wait_all, or OK; errors that a task inherited and cancellations do not count. failed_precondition for a
  /// task that could never see that end, also as soon as somebody pushes into the lane what comes after it.
  Status wait_all(const LaneRef& lane, const WaitOptions& options = {});

  /// True, for one push in a few, when the lane has more than `most_queued` unfinished tasks: its pusher
  /// should await_room(). Costs a nanosecond.
  bool is_crowded(const LaneRef& lane) const;

  /// Returns when the lane has no more than half of `most_queued` unfinished tasks, or nothing in it can run,
  /// because all of it waits for what others have yet to complete or push. At once inside a task. Errors of
  /// tasks are not told here; cancelled when interrupted or shut down.
  Status await_room(const LaneRef& lane, const WaitOptions& options = {});

  /// The error that `variable` carries now; does not wait.
  Status error_of(const Variable& variable) const;

  /// Unfinished tasks of the lane that do not run complete as cancelled (they do not run, unless they asked
  /// to run_on_error), as soon as what they depend on is done; running ones see is_cancelled(). The lane may
  /// be used on.
  void cancel(const LaneRef& lane);

  /// Runs `body(0) ... body(count - 1)` on this thread and on workers that have nothing else to run, now or
  /// later; returns when all are done. The first error (of the lowest piece that failed) ends it early. Never
  /// waits for a worker to become free.
  Status parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body);

  /// Runs the next ready task, as a worker would choose it, on this thread; false when none is ready. For
  /// engines without workers.
  bool step();

  /// Unfinished tasks, over all lanes.
  size_t pending_tasks() const;

  /// Refuses new tasks, cancels queued ones, ends waits, and joins the threads when the tasks that run have
  /// returned. Asynchronous tasks still running may complete later. Threads of executors are joined only if
  /// `join_executors`.
  void shutdown(bool join_executors = true);

 private:
  std::shared_ptr<Core> core_;
};

/// Inside a task: true when it was cancelled, and should return soon. False elsewhere.
bool is_cancelled();

/// Engine::parallel_for of the engine whose task runs on this thread; elsewhere a plain loop.
Status parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body);

}  // namespace forebay::engine
