// The engine's records of variables, tasks and lanes. Internal. Changing fields are guarded by the engine's
// mutex; where no guard is given, they belong to the one thread that makes, runs or ends the task.
//
// Each variable has a list of its unfinished accesses, in push order. An access is *granted* when everything
// it must wait for is done: a write at the head of the list, a read with no write before it. A task is ready
// when all its accesses are granted. So a task costs one block of memory and no edges, and finishing it is
// O(its accesses).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/prefetch.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/engine_mutex.h"

namespace forebay::engine {

class Inbox;
class RunAhead;
struct Access;
struct LaneQueue;

/// What a thread waits for: a task, or all tasks of a lane.
struct Awaited {
  Task* task = nullptr;
  Lane* lane = nullptr;
};

/// A thread inside wait() or wait_all(), or resuming from it; lives on its stack.
struct Waiter {
  Waiter* next FOREBAY_GUARDED = nullptr;
  Task* task = nullptr;              // the waiting task; nullptr: a thread outside the engine
  std::atomic<bool> is_done{false};  // set under the mutex; also read by a spinning waiter
  // The waiter should look again for something to run; also read while it spins.
  std::atomic<bool> is_woken{false};
  bool must_check FOREBAY_GUARDED = false;  // the waiter must check whether its wait can still end
  Status status FOREBAY_GUARDED;
  std::condition_variable condition;
};

/// The first cache line belongs to threads that hold handles and push, the second to the graph: neither waits
/// for the other's processor.
struct VariableState {
  std::atomic<uint32_t> handles{1};                            // not guarded
  uint32_t core_id = 0;                                        // constant
  uint32_t fork_generation = 0;                                // constant
  std::atomic<bool> was_pushed{false};                         // not guarded; whether some task has used it
  Inbox* inbox = nullptr;                                      // constant; the engine's inbox
  alignas(kLineBytes) Access* head FOREBAY_GUARDED = nullptr;  // oldest unfinished access
  Access* tail FOREBAY_GUARDED = nullptr;                      // newest unfinished access
  Access* last_write FOREBAY_GUARDED = nullptr;                // newest unfinished write
  uint64_t stamp FOREBAY_GUARDED = 0;  // id of the last task pushed on it; finds duplicates in O(1)
  Status status FOREBAY_GUARDED;       // the error it carries
  Access* unissued FOREBAY_GUARDED =
      nullptr;  // oldest unfinished access that is not issued; set while a device uses the variable
  uint32_t device_accesses FOREBAY_GUARDED = 0;  // unfinished accesses of device tasks
  bool has_handles FOREBAY_GUARDED = true;       // false: destroyed with its last access
};

/// Lives behind its task, in the same block of memory.
struct Access {
  VariableState* variable = nullptr;  // outlives its accesses
  Access* previous FOREBAY_GUARDED = nullptr;
  Access* next FOREBAY_GUARDED = nullptr;
  uint32_t index = 0;  // constant: place among the accesses of its task
  bool writes = false;
  bool reads = false;  // inherits the variable's error; a write may also read
  bool granted FOREBAY_GUARDED = false;
  bool issued FOREBAY_GUARDED = false;  // for other device tasks this is as good as finished

  Task& task() const;
};

enum class TaskState : uint8_t {
  kBlocked,  // waits for variables
  kHeld,     // could run, but is too far ahead of program order
  kReady,    // in a queue
  kRunning,  // its body runs
  kPending,  // its body has returned; its Completion has not completed yet
  kIssued,   // its work is on a device queue, or it waits behind such work and takes over its error
  kFinished,
};

/// What the trace records of a task, in ticks; exists only if the trace was on when the task was pushed.
struct TaskTimes {
  int64_t push = 0;
  int64_t ready = 0;
  int64_t begin = 0;
  int64_t issued = 0;  // when it was put on its device's queue
  uint32_t label = 0;  // of its names
};

enum class TaskKind : uint8_t {
  kPlain,         // done when its body has returned
  kAsynchronous,  // the body hands its Completion on
  kOpen,          // no body: only a Completion
};

/// A running body; lives on the stack of its thread.
struct Running {
  Task* outer FOREBAY_GUARDED = nullptr;  // the task that runs below it on the same stack
  // The task above it; a body continues only when the inner task has ended.
  Task* inner FOREBAY_GUARDED = nullptr;
  const Awaited* awaited FOREBAY_GUARDED = nullptr;  // what the body waits for
};

/// One block of memory holds the task, its accesses, its times, its name and its site. Each of its cache
/// lines crosses between processors twice, so the block is kept small.
struct Task {
  TaskBody body;                 // destroyed once it has run
  Lane* lane = nullptr;          // constant
  Executor* executor = nullptr;  // constant; nullptr: compute workers
  uint64_t id = 0;               // constant once sorted in; the push order, over the whole engine
  uint64_t order = 0;            // constant once sorted in; once issued, its number on its device's queue
  Task* chain FOREBAY_GUARDED = nullptr;  // link in the list of unblocked, issued or finished tasks
  Status result;
  Task* lane_previous FOREBAY_GUARDED = nullptr;
  Task* lane_next FOREBAY_GUARDED = nullptr;
  Waiter* waiters FOREBAY_GUARDED = nullptr;   // threads that wait for it
  Running* running FOREBAY_GUARDED = nullptr;  // while its body runs
  union {
    uint32_t blocked = 0;  // accesses not granted yet; once there are none:
    uint32_t heap_index;   // its place in a queue
  };
  uint32_t visit FOREBAY_GUARDED = 0;  // mark of the last walk that met it
  uint32_t access_count = 0;
  uint32_t access_capacity = 0;          // constant
  int priority = 0;                      // constant
  uint32_t kibibytes = 0;                // constant: memory it takes for its outputs
  uint16_t name_bytes = 0;               // constant
  uint8_t site_bytes = 0;                // constant
  TaskKind kind : 2 = TaskKind::kPlain;  // constant
  bool run_on_error : 1 = false;         // constant
  bool is_for_device : 1 = false;        // constant
  bool is_traced : 1 = false;            // constant
  uint8_t parts = 1;                     // parts that must end before it is done: the body, the Completion
  TaskState state FOREBAY_GUARDED = TaskState::kBlocked;
  std::atomic<bool> is_cancelled{false};  // set under the mutex; read by the body

  /// Makes a task with room for `access_capacity` accesses.
  static Task* create(size_t access_capacity, std::string_view name = {}, std::string_view site = {},
                      bool is_traced = false);
  /// Drops its references and frees its memory. Runs destructors of what the body captured, so never call it
  /// under the mutex.
  static void destroy(Task* task);

  /// Whether it takes one of its lane's places while it runs (LaneOptions::width).
  bool takes_place() const { return executor == nullptr; }
  /// Whether its lane has a place for it.
  bool has_place() const FOREBAY_HOLDS;
  /// Valid as long as the task lives.
  std::string_view name() const;
  std::string_view site() const { return {name().data() + name_bytes, site_bytes}; }
  /// Only for traced tasks.
  TaskTimes& times() { return *reinterpret_cast<TaskTimes*>(first_access() + access_capacity); }
  std::span<Access> accesses() { return {first_access(), access_count}; }
  std::span<const Access> accesses() const { return {const_cast<Task*>(this)->first_access(), access_count}; }
  Access& add_access(VariableState* variable);

 private:
  Access* first_access() { return reinterpret_cast<Access*>(this + 1); }
};

inline Task& Access::task() const {
  return *(reinterpret_cast<Task*>(const_cast<Access*>(this) - index) - 1);
}

/// A list of tasks linked by Task::chain.
class TaskList {
 public:
  bool is_empty() const { return first_ == nullptr; }
  /// nullptr if empty.
  Task* first() const { return first_; }
  void add(Task& task) FOREBAY_HOLDS {
    (last_ != nullptr ? last_->chain : first_) = &task;
    last_ = &task;
  }
  /// The list must not be empty.
  Task& take_first() FOREBAY_HOLDS {
    Task& task = *first_;
    first_ = std::exchange(task.chain, nullptr);
    last_ = first_ == nullptr ? nullptr : last_;
    return task;
  }

 private:
  Task* first_ = nullptr;
  Task* last_ = nullptr;
};

/// Whether `a` runs before `b` in their lane: higher priority first, then the older order.
inline bool runs_before(const Task& a, const Task& b) {
  if (a.priority != b.priority) {
    return a.priority > b.priority;
  }
  return a.order != b.order ? a.order < b.order : a.id < b.id;
}

/// What pushing threads read is kept apart from what changes with each task.
class Lane {
 public:
  Lane();
  ~Lane();

  LaneOptions options;              // constant
  uint64_t id = 0;                  // constant
  uint32_t core_id = 0;             // constant
  uint32_t fork_generation = 0;     // constant
  std::atomic<uint64_t> pushed{0};  // number of tasks, counted if the lane may become crowded; not guarded
  alignas(kLineBytes) std::atomic<uint64_t> finished{0};  // number of tasks; set under the mutex
  int running FOREBAY_GUARDED = 0;              // bodies running on threads now, not counting those that wait
  size_t queued FOREBAY_GUARDED = 0;            // ready tasks for compute workers
  int running_elsewhere FOREBAY_GUARDED = 0;    // the same of tasks of executors: bodies
  size_t queued_elsewhere FOREBAY_GUARDED = 0;  // and ready tasks
  int waiters FOREBAY_GUARDED = 0;              // threads that wait for one of its tasks
  size_t unfinished FOREBAY_GUARDED = 0;
  Task* first FOREBAY_GUARDED = nullptr;  // unfinished tasks, in push order
  Task* last FOREBAY_GUARDED = nullptr;
  Waiter* idle_waiters FOREBAY_GUARDED = nullptr;  // threads that wait for the whole lane
  Waiter* room_waiters FOREBAY_GUARDED = nullptr;  // threads that wait until fewer tasks are left
  Waiter* resuming FOREBAY_GUARDED =
      nullptr;  // tasks that have waited and need a place to continue, oldest first
  Status first_error FOREBAY_GUARDED;
  std::vector<std::unique_ptr<LaneQueue>> queues FOREBAY_GUARDED;  // by queue id: compute workers, executors
  std::unique_ptr<RunAhead> run_ahead FOREBAY_GUARDED;             // made on demand
  Lane* next_changed FOREBAY_GUARDED = nullptr;  // link in the list of lanes with a task that has just ended
  bool is_changed FOREBAY_GUARDED = false;       // whether the lane is in that list

  bool is_crowded() const {
    // `finished` is written by workers, so it is read only now and then.
    constexpr uint64_t kPushesBetweenLooks = 256;
    const uint64_t count = pushed.load(std::memory_order_relaxed);
    return options.most_queued > 0 && count % kPushesBetweenLooks == 0 &&
           count - finished.load(std::memory_order_relaxed) > options.most_queued;
  }
  /// Whether anything needs to be told when a task of the lane ends.
  bool has_interest() const FOREBAY_HOLDS { return run_ahead != nullptr || room_waiters != nullptr; }
  bool has_room() const FOREBAY_HOLDS { return options.width <= 0 || running < options.width; }
  void append(Task& task) FOREBAY_HOLDS {
    task.lane_previous = last;
    (last != nullptr ? last->lane_next : first) = &task;
    last = &task;
    ++unfinished;
  }
  void unlink(Task& task) FOREBAY_HOLDS {
    (task.lane_previous != nullptr ? task.lane_previous->lane_next : first) = task.lane_next;
    (task.lane_next != nullptr ? task.lane_next->lane_previous : last) = task.lane_previous;
    --unfinished;
  }
};

inline bool Task::has_place() const {
  return !takes_place() || lane->has_room();
}

void destroy(VariableState* state) noexcept;
/// Called when the last handle is gone and all tasks that use the variable are sorted in.
void forget_handles(VariableState& state) FOREBAY_HOLDS;

}  // namespace forebay::engine
