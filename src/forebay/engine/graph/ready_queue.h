// Chooses the next ready task: between lanes by weight (stride scheduling: Waldspurger and Weihl, 1995),
// within a lane by priority, then in program order. No locks: the engine calls it under its mutex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forebay/engine/graph/task.h"

namespace forebay::engine {

/// The ready tasks of one lane: a binary heap that knows each task's place, so any task can be removed.
class TaskHeap {
 public:
  bool is_empty() const { return tasks_.empty(); }
  size_t size() const { return tasks_.size(); }
  Task* top() const { return tasks_.front(); }
  void add(Task& task) FOREBAY_HOLDS;
  void remove(Task& task) FOREBAY_HOLDS;

 private:
  void place(size_t index, Task* task) FOREBAY_HOLDS;
  void sift_up(size_t index) FOREBAY_HOLDS;
  void sift_down(size_t index) FOREBAY_HOLDS;

  std::vector<Task*> tasks_;
};

/// The ready tasks of one lane in one queue.
struct LaneQueue {
  explicit LaneQueue(Lane& of);

  Lane* const lane;
  const uint64_t stride;         // virtual time that one task of the lane costs
  const uint64_t waited_stride;  // the same while somebody waits for the lane
  uint64_t stride_now() const FOREBAY_HOLDS { return lane->waiters > 0 ? waited_stride : stride; }

  TaskHeap heap;
  uint64_t pass = 0;        // virtual time used so far; the lane with the smallest runs next
  size_t active_index = 0;  // place among the queue's lanes that have tasks
};

/// The queue of the compute workers; others are executors'.
constexpr size_t kWorkersQueue = 0;

class ReadyQueue {
 public:
  /// `id`: this queue's place in Lane::queues.
  explicit ReadyQueue(size_t id) : id_(id) {}
  size_t id() const { return id_; }

  void add(Task& task) FOREBAY_HOLDS;
  /// Removes a task that add() put in.
  void remove(Task& task) FOREBAY_HOLDS;
  /// Removes and returns the next task of a lane that has a place for it; nullptr when there is none.
  Task* take_next() FOREBAY_HOLDS;
  /// Counts the tasks that could start now given their lanes' widths, up to `limit`.
  size_t runnable(size_t limit) const FOREBAY_HOLDS;
  /// Returns the first ready task of `lane` without removing it.
  Task* peek(const Lane& lane) const FOREBAY_HOLDS;

 private:
  LaneQueue& queue_of(Lane& lane) FOREBAY_HOLDS {
    if (id_ < lane.queues.size() && lane.queues[id_] != nullptr) [[likely]] {
      return *lane.queues[id_];
    }
    return make_queue(lane);
  }
  LaneQueue& make_queue(Lane& lane) FOREBAY_HOLDS;
  void insert(Task& task) FOREBAY_HOLDS;
  Task* take_only() FOREBAY_HOLDS;
  /// Returns the active lane that runs next; nullptr when none has room.
  LaneQueue* choose() const FOREBAY_HOLDS;
  void remove(Task& task, LaneQueue& queue) FOREBAY_HOLDS;
  void deactivate(LaneQueue& queue) FOREBAY_HOLDS;

  /// Tasks of executors take no place of their lane.
  bool has_place(const Lane& lane) const FOREBAY_HOLDS { return id_ != kWorkersQueue || lane.has_room(); }

  size_t id_;
  Task* only_ = nullptr;  // when exactly one task is ready it is kept here and no lane is active
  std::vector<LaneQueue*> active_;
  uint64_t virtual_time_ = 0;
};

}  // namespace forebay::engine
