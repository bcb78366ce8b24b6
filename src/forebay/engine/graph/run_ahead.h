// How far a lane's tasks run ahead of program order, in memory. A serial run would have at most what the
// oldest unfinished task and those before it have made; what younger tasks have taken is what asynchrony
// costs. Guarded by the engine's mutex.
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

  /// Whether `task`, which could run, must wait.
  bool must_hold(const Task& task) const FOREBAY_HOLDS;
  void hold(Task& task) FOREBAY_HOLDS;
  /// Takes out a task that hold() put in.
  void release(Task& task) FOREBAY_HOLDS { held_.remove(task); }
  /// The next held task that need not wait any more; nullptr when there is none.
  Task* next() const FOREBAY_HOLDS;
  bool holds_any() const { return !held_.is_empty(); }

  /// `task` may run now.
  void add(const Task& task) FOREBAY_HOLDS;
  /// The oldest unfinished task is another one than before: what it has passed counts no more.
  void drop_passed() FOREBAY_HOLDS;

 private:
  struct Taken {
    uint64_t id;
    uint32_t kibibytes;
    bool operator>(const Taken& other) const { return id > other.id; }
  };

  bool has_room_for(const Task& task) const FOREBAY_HOLDS;

  const Lane& lane_;
  uint64_t kibibytes_ = 0;                                                // of all in taken_
  std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken_;  // by tasks younger than the oldest
  TaskHeap held_;
};

}  // namespace forebay::engine
