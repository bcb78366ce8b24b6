// What the engine keeps of variables, tasks, lanes and executors. Internal; guarded by the mutex of the Core
// unless noted.
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
#include <variant>
#include <vector>

#include "forebay/engine/engine.h"

namespace forebay::engine {

struct Access;
struct LaneQueue;

/// A thread parked in wait() or wait_all(); lives on its stack.
struct Waiter {
  Waiter* next = nullptr;
  Task* task = nullptr;  // the task that waits; none: a thread outside the engine
  bool is_done = false;
  bool is_woken = false;  // should look again for something to run
  Status status;
  std::condition_variable condition;
};

struct VariableState {
  std::atomic<uint32_t> references{1};  // not guarded
  uint64_t core_id = 0;                 // constant
  uint64_t fork_generation = 0;         // constant
  uint64_t id = 0;                      // constant
  Access* head = nullptr;               // oldest unfinished access
  Access* tail = nullptr;               // newest unfinished access
  Access* last_write = nullptr;         // newest unfinished write
  uint64_t stamp = 0;                   // id of the last task pushed on it: finds duplicates in O(1)
  Status status;                        // the error it carries
};

struct Access {
  VariableState* variable = nullptr;  // a counted reference
  Task* task = nullptr;
  Access* previous = nullptr;
  Access* next = nullptr;
  Waiter* waiters = nullptr;  // of a write: who waits for it
  bool writes = false;
  bool reads = false;  // inherits the variable's error; a write may also read
  bool granted = false;
};

enum class TaskState : uint8_t {
  kBlocked,  // waits for variables
  kReady,    // in a queue
  kRunning,  // its body runs
  kPending,  // its body has returned, its Completion is out
};

/// What the trace wants to know of a task; only made while the trace is on.
struct TaskTrace {
  std::string lane;
  int64_t push_ns = 0;
  int64_t ready_ns = 0;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  std::vector<uint64_t> after;  // ids of the unfinished tasks it had to wait for when it was pushed
};

struct OpenBody {};  // no body: only a Completion

struct Task {
  Lane* lane = nullptr;  // constant
  ExecutorRef executor;  // constant; none: compute workers
  std::string name;      // constant
  uint64_t id = 0;       // constant: the order of pushes, over the whole engine
  uint64_t order = 0;    // constant
  int priority = 0;      // constant
  bool run_on_error = false;
  TaskState state = TaskState::kBlocked;
  std::atomic<bool> is_cancelled{false};  // set under the mutex, read by the body
  uint8_t parts = 1;                      // what must end before the task is done: the body, the Completion
  uint32_t blocked = 0;                   // accesses not granted yet
  uint32_t access_count = 0;
  uint32_t block_bytes = 0;  // constant: of the block of memory that it lies in
  uint32_t heap_index = 0;
  uint64_t visit = 0;  // mark of the last walk over the graph that met it
  Status result;
  Task* lane_previous = nullptr;
  Task* lane_next = nullptr;
  Task* chain = nullptr;             // in the list of unblocked, or of finished tasks
  Task* outer = nullptr;             // the task that runs below this one on the same thread's stack
  Task* waiting_for = nullptr;       // runs, but waits for that task,
  Lane* waiting_for_lane = nullptr;  // or for that lane
  std::variant<TaskBody, AsyncBody, OpenBody> body;
  std::unique_ptr<TaskTrace> trace;

  /// A task with room for `access_capacity` accesses in the same block of memory.
  static Task* create(size_t access_capacity);
  /// Drops its references and its memory. Runs destructors of what the body captured: never under the mutex.
  static void destroy(Task* task);

  std::span<Access> accesses() { return {reinterpret_cast<Access*>(this + 1), access_count}; }
  Access& add_access(VariableState* variable);
};

/// Before in its lane: the higher priority, then the older order.
inline bool runs_before(const Task& a, const Task& b) {
  if (a.priority != b.priority) {
    return a.priority > b.priority;
  }
  return a.order != b.order ? a.order < b.order : a.id < b.id;
}

class Lane {
 public:
  LaneOptions options;  // constant
  uint64_t core_id = 0;
  uint64_t fork_generation = 0;
  uint64_t id = 0;
  int running = 0;  // bodies that run on threads now, without those that wait
  int waiters = 0;  // threads that wait for one of its tasks
  size_t unfinished = 0;
  Task* first = nullptr;  // unfinished tasks, in push order
  Task* last = nullptr;
  Waiter* idle_waiters = nullptr;  // who waits for all of it
  Status first_error;
  std::vector<std::unique_ptr<LaneQueue>> queues;  // by queue id: compute workers, executors

  bool has_room() const { return options.width <= 0 || running < options.width; }
  void append(Task& task);
  void unlink(Task& task);
};

void retain(VariableState* state) noexcept;
void release(VariableState* state) noexcept;

}  // namespace forebay::engine
