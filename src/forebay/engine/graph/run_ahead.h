// How far a lane's tasks run ahead of program order, in memory. A serial run would hold at most what the
// oldest unfinished task and those before it have made; what younger tasks have taken is the cost of running
// asynchronously. Guarded by the engine's mutex.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "forebay/engine/graph/ready_queue.h"
#include "forebay/engine/graph/task.h"

namespace forebay::engine {

class RunAhead {
 public:
  explicit RunAhead(const Lane& lane) : lane_(lane) {}

  /// Whether `task`, which could run, must be held back. `others_go_on`: see Graph::goes_on().
  bool must_hold(const Task& task, bool others_go_on) const FOREBAY_HOLDS;
  void hold(Task& task) FOREBAY_HOLDS;
  /// Removes a task that hold() put in.
  void release(Task& task) FOREBAY_HOLDS { held_.remove(task); }
  /// Returns the next held task that may run now; nullptr when there is none.
  Task* next(bool others_go_on) const FOREBAY_HOLDS;
  bool holds_any() const { return !held_.is_empty(); }

  /// Records that `task` may run now.
  void add(const Task& task) FOREBAY_HOLDS;
  /// Called when the oldest unfinished task changes: the tasks it has passed no longer count.
  void drop_passed() FOREBAY_HOLDS;

 private:
  struct Taken {
    uint64_t id;
    uint32_t kibibytes;
    bool operator>(const Taken& other) const { return id > other.id; }
  };

  bool has_room_for(const Task& task) const FOREBAY_HOLDS;

  const Lane& lane_;
  uint64_t kibibytes_ = 0;  // sum over taken_
  // Taken by tasks younger than the oldest unfinished one.
  std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken_;
  TaskHeap held_;
};

}  // namespace forebay::engine
