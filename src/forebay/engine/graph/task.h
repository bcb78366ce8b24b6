// What the engine keeps of variables, tasks and lanes. Internal. What changes is guarded by the engine's
// mutex or, where that is not said, belongs to the one thread that makes, runs or ends the task.
//
// Each variable has a list of the unfinished accesses to it, in push order. An access is *granted* when what
// it has to wait for is done: a write at the head of the list, a read with no write before it. A task is
// ready when all its accesses are granted. So a task costs one block of memory and no edges, and finishing
// one is O(its accesses).
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

/// A thread in wait() or wait_all(), or one that comes out of it; lives on its stack.
struct Waiter {
  Waiter* next FOREBAY_GUARDED = nullptr;
  Task* task = nullptr;                     // the task that waits; none: a thread outside the engine
  std::atomic<bool> is_done{false};         // set under the mutex, also read by a waiter that spins
  std::atomic<bool> is_woken{false};        // should look again for something to run; the same
  bool must_check FOREBAY_GUARDED = false;  // whether its wait can still end
  Status status FOREBAY_GUARDED;
  std::condition_variable condition;
};

/// Its first line belongs to those who hold handles and push, its second to the graph: neither waits for the
/// other's processor.
struct VariableState {
  std::atomic<uint32_t> handles{1};                            // not guarded
  uint32_t core_id = 0;                                        // constant
  uint32_t fork_generation = 0;                                // constant
  std::atomic<bool> was_pushed{false};                         // not guarded: some task has used it
  Inbox* inbox = nullptr;                                      // constant: of its engine
  alignas(kLineBytes) Access* head FOREBAY_GUARDED = nullptr;  // oldest unfinished access
  Access* tail FOREBAY_GUARDED = nullptr;                      // newest unfinished access
  Access* last_write FOREBAY_GUARDED = nullptr;                // newest unfinished write
  uint64_t stamp FOREBAY_GUARDED = 0;  // id of the last task pushed on it: finds duplicates in O(1)
  Status status FOREBAY_GUARDED;       // the error it carries
  Access* unissued FOREBAY_GUARDED =
      nullptr;  // oldest unfinished access that is not issued, while a device uses it
  uint32_t device_accesses FOREBAY_GUARDED = 0;  // unfinished ones of tasks for devices
  bool has_handles FOREBAY_GUARDED = true;       // false: goes with its last access
};

/// Lies behind its task, in the same block of memory.
struct Access {
  VariableState* variable = nullptr;  // stays while it has accesses
  Access* previous FOREBAY_GUARDED = nullptr;
  Access* next FOREBAY_GUARDED = nullptr;
  uint32_t index = 0;  // constant: place among the accesses of its task
  bool writes = false;
  bool reads = false;  // inherits the variable's error; a write may also read
  bool granted FOREBAY_GUARDED = false;
  bool issued FOREBAY_GUARDED = false;  // by a task for a device: for others of them as good as finished

  Task& task() const;
};

enum class TaskState : uint8_t {
  kBlocked,  // waits for variables
  kHeld,     // could run, but is ahead of program order by too much
  kReady,    // in a queue
  kRunning,  // its body runs
  kPending,  // its body has returned, its Completion is out
  kIssued,   // its work is on a device's queue; or it waits behind such work for its error to be its result
  kFinished,
};

/// What the trace wants to know of a task, in its ticks; only there when it was on as the task was pushed.
struct TaskTimes {
  int64_t push = 0;
  int64_t ready = 0;
  int64_t begin = 0;
  int64_t issued = 0;  // onto its device's queue
  uint32_t label = 0;  // of its names
};

enum class TaskKind : uint8_t {
  kPlain,         // done when its body has returned
  kAsynchronous,  // the body hands its Completion on
  kOpen,          // no body: only a Completion
};

/// A body that runs; lives on the stack of its thread.
struct Running {
  Task* outer FOREBAY_GUARDED = nullptr;             // the task that runs below it on the same stack, and
  Task* inner FOREBAY_GUARDED = nullptr;             // above it: a body goes on only when that has ended
  const Awaited* awaited FOREBAY_GUARDED = nullptr;  // what the body waits for
};

/// One block of memory holds the task, its accesses, its times, its name and its site.
/// Every line of it goes from processor to processor twice, so it has few.
struct Task {
  TaskBody body;                 // goes when it has run
  Lane* lane = nullptr;          // constant
  Executor* executor = nullptr;  // constant; none: compute workers
  uint64_t id = 0;               // constant once sorted in: the order of pushes, over the whole engine
  uint64_t order = 0;            // the same; once issued its number on its device's queue
  Task* chain FOREBAY_GUARDED = nullptr;  // in the list of unblocked, of issued, or of finished tasks
  Status result;
  Task* lane_previous FOREBAY_GUARDED = nullptr;
  Task* lane_next FOREBAY_GUARDED = nullptr;
  Waiter* waiters FOREBAY_GUARDED = nullptr;   // who waits for it
  Running* running FOREBAY_GUARDED = nullptr;  // while its body runs
  union {
    uint32_t blocked = 0;  // accesses not granted yet; when there are none,
    uint32_t heap_index;   // its place in a queue
  };
  uint32_t visit FOREBAY_GUARDED = 0;  // mark of the last walk over the graph that met it
  uint32_t access_count = 0;
  uint32_t access_capacity = 0;          // constant
  int priority = 0;                      // constant
  uint32_t kibibytes = 0;                // constant: memory that it takes for what it writes
  uint16_t name_bytes = 0;               // constant
  uint8_t site_bytes = 0;                // constant
  TaskKind kind : 2 = TaskKind::kPlain;  // constant
  bool run_on_error : 1 = false;         // constant
  bool is_for_device : 1 = false;        // constant
  bool is_traced : 1 = false;            // constant
  uint8_t parts = 1;                     // what must end before it is done: the body, the Completion
  TaskState state FOREBAY_GUARDED = TaskState::kBlocked;
  std::atomic<bool> is_cancelled{false};  // set under the mutex, read by the body

  /// A task with room for `access_capacity` accesses.
  static Task* create(size_t access_capacity, std::string_view name = {}, std::string_view site = {},
                      bool is_traced = false);
  /// Drops its references and its memory. Runs destructors of what the body captured: never under the mutex.
  static void destroy(Task* task);

  /// Valid as long as the task.
  std::string_view name() const;
  std::string_view site() const { return {name().data() + name_bytes, site_bytes}; }
  /// Only of traced tasks.
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

/// Tasks one after the other, by Task::chain.
class TaskList {
 public:
  bool is_empty() const { return first_ == nullptr; }
  /// None: null.
  Task* first() const { return first_; }
  void add(Task& task) FOREBAY_HOLDS {
    (last_ != nullptr ? last_->chain : first_) = &task;
    last_ = &task;
  }
  /// There is one.
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

/// Before in its lane: the higher priority, then the older order.
inline bool runs_before(const Task& a, const Task& b) {
  if (a.priority != b.priority) {
    return a.priority > b.priority;
  }
  return a.order != b.order ? a.order < b.order : a.id < b.id;
}

/// What pushing threads read lies apart from what changes with each task.
class Lane {
 public:
  Lane();
  ~Lane();

  LaneOptions options;                                    // constant
  uint64_t id = 0;                                        // constant
  uint32_t core_id = 0;                                   // constant
  uint32_t fork_generation = 0;                           // constant
  std::atomic<uint64_t> pushed{0};                        // tasks, if the lane may be crowded; not guarded
  alignas(kLineBytes) std::atomic<uint64_t> finished{0};  // tasks; set under the mutex
  int running FOREBAY_GUARDED = 0;  // bodies that run on threads now, without those that wait
  size_t queued FOREBAY_GUARDED =
      0;  // ready tasks for compute workers: those of an executor may depend on what it runs
  int waiters FOREBAY_GUARDED = 0;  // threads that wait for one of its tasks
  size_t unfinished FOREBAY_GUARDED = 0;
  Task* first FOREBAY_GUARDED = nullptr;  // unfinished tasks, in push order
  Task* last FOREBAY_GUARDED = nullptr;
  Waiter* idle_waiters FOREBAY_GUARDED = nullptr;  // who waits for all of it
  Waiter* room_waiters FOREBAY_GUARDED = nullptr;  // who waits until fewer tasks are left
  Waiter* resuming FOREBAY_GUARDED =
      nullptr;  // whose tasks have waited and need a place to go on, oldest first
  Status first_error FOREBAY_GUARDED;
  std::vector<std::unique_ptr<LaneQueue>> queues FOREBAY_GUARDED;  // by queue id: compute workers, executors
  std::unique_ptr<RunAhead> run_ahead FOREBAY_GUARDED;             // made when it is needed
  Lane* next_changed FOREBAY_GUARDED = nullptr;  // in the list of lanes of which a task has ended just now,
  bool is_changed FOREBAY_GUARDED = false;       // where it is

  bool is_crowded() const {
    constexpr uint64_t kPushesBetweenLooks = 256;  // what workers write is looked at now and then
    const uint64_t count = pushed.load(std::memory_order_relaxed);
    return options.most_queued > 0 && count % kPushesBetweenLooks == 0 &&
           count - finished.load(std::memory_order_relaxed) > options.most_queued;
  }
  /// Whether somebody wants to know when a task of it has ended.
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

void destroy(VariableState* state) noexcept;
/// The last handle has gone, and all tasks that use it are sorted in.
void forget_handles(VariableState& state) FOREBAY_HOLDS;

}  // namespace forebay::engine
