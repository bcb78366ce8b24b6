#include "forebay/engine/graph/ready_queue.h"

#include <algorithm>
#include <utility>

namespace forebay::engine {
namespace {

constexpr uint64_t kStride = 1 << 20;
// A lane that somebody waits for gets this many times its share: it rises without starving others.
constexpr uint64_t kWaitedFactor = 8;

uint64_t stride_of(const Lane& lane, uint64_t factor) {
  const uint64_t weight = std::max(1, lane.options.weight);
  return kStride / std::min(kStride, weight * factor);
}

void count(const Task& task, int change) FOREBAY_HOLDS {
  Lane& lane = *task.lane;
  (task.executor == nullptr ? lane.queued : lane.queued_elsewhere) += static_cast<size_t>(change);
}

}  // namespace

LaneQueue::LaneQueue(Lane& of)
    : lane(&of), stride(stride_of(of, 1)), waited_stride(stride_of(of, kWaitedFactor)) {
}

void TaskHeap::place(size_t index, Task* task) {
  tasks_[index] = task;
  task->heap_index = static_cast<uint32_t>(index);
}

void TaskHeap::sift_up(size_t index) {
  Task* task = tasks_[index];
  while (index > 0) {
    const size_t parent = (index - 1) / 2;
    if (!runs_before(*task, *tasks_[parent])) {
      break;
    }
    place(index, tasks_[parent]);
    index = parent;
  }
  place(index, task);
}

void TaskHeap::sift_down(size_t index) {
  Task* task = tasks_[index];
  for (;;) {
    size_t child = 2 * index + 1;
    if (child >= tasks_.size()) {
      break;
    }
    if (child + 1 < tasks_.size() && runs_before(*tasks_[child + 1], *tasks_[child])) {
      ++child;
    }
    if (!runs_before(*tasks_[child], *task)) {
      break;
    }
    place(index, tasks_[child]);
    index = child;
  }
  place(index, task);
}

void TaskHeap::add(Task& task) {
  tasks_.push_back(&task);
  task.heap_index = 0;
  if (tasks_.size() > 1) {
    sift_up(tasks_.size() - 1);
  }
}

void TaskHeap::remove(Task& task) {
  const size_t index = task.heap_index;
  Task* last = tasks_.back();
  tasks_.pop_back();
  if (last == &task) {
    return;
  }
  place(index, last);
  sift_up(index);
  sift_down(last->heap_index);
}

LaneQueue& ReadyQueue::make_queue(Lane& lane) {
  lane.queues.resize(std::max(lane.queues.size(), id_ + 1));
  lane.queues[id_] = std::make_unique<LaneQueue>(lane);
  return *lane.queues[id_];
}

void ReadyQueue::add(Task& task) {
  count(task, 1);
  if (only_ == nullptr && active_.empty()) {
    only_ = &task;
    return;
  }
  if (only_ != nullptr) {
    insert(*std::exchange(only_, nullptr));
  }
  insert(task);
}

void ReadyQueue::insert(Task& task) {
  LaneQueue& queue = queue_of(*task.lane);
  if (queue.heap.is_empty()) {
    // A lane that was idle has no claim on the time it did not use.
    queue.pass = std::max(queue.pass, virtual_time_);
    queue.active_index = active_.size();
    active_.push_back(&queue);
  }
  queue.heap.add(task);
}

void ReadyQueue::deactivate(LaneQueue& queue) {
  active_[queue.active_index] = active_.back();
  active_[queue.active_index]->active_index = queue.active_index;
  active_.pop_back();
}

void ReadyQueue::remove(Task& task) {
  if (only_ == &task) {
    only_ = nullptr;
    count(task, -1);
    return;
  }
  remove(task, queue_of(*task.lane));
}

void ReadyQueue::remove(Task& task, LaneQueue& queue) {
  queue.heap.remove(task);
  count(task, -1);
  if (queue.heap.is_empty()) {
    deactivate(queue);
  }
}

LaneQueue* ReadyQueue::choose() const {
  LaneQueue* best = nullptr;
  for (LaneQueue* queue : active_) {
    if (!has_place(*queue->lane)) {
      continue;
    }
    if (best == nullptr || queue->pass < best->pass ||
        (queue->pass == best->pass && queue->lane->id < best->lane->id)) {
      best = queue;
    }
  }
  return best;
}

/// Takes the only task as if it had been inserted.
Task* ReadyQueue::take_only() {
  Task& task = *only_;
  if (!has_place(*task.lane)) {
    return nullptr;
  }
  LaneQueue& queue = queue_of(*task.lane);
  virtual_time_ = std::max(virtual_time_, queue.pass);
  queue.pass = virtual_time_ + queue.stride_now();
  count(task, -1);
  return std::exchange(only_, nullptr);
}

Task* ReadyQueue::take_next() {
  if (only_ != nullptr) {
    return take_only();
  }
  LaneQueue* const best = choose();
  if (best == nullptr) {
    return nullptr;
  }
  virtual_time_ = std::max(virtual_time_, best->pass);
  best->pass += best->stride_now();
  Task* const task = best->heap.top();
  remove(*task, *best);
  return task;
}

size_t ReadyQueue::runnable(size_t limit) const {
  if (only_ != nullptr) {
    return std::min<size_t>(limit, has_place(*only_->lane) ? 1 : 0);
  }
  size_t count = 0;
  for (const LaneQueue* queue : active_) {
    const LaneOptions& options = queue->lane->options;
    const size_t room = id_ != kWorkersQueue || options.width <= 0
                            ? limit
                            : static_cast<size_t>(std::max(0, options.width - queue->lane->running));
    count += std::min(room, queue->heap.size());
    if (count >= limit) {
      return limit;
    }
  }
  return count;
}

Task* ReadyQueue::peek(const Lane& lane) const {
  if (only_ != nullptr) {
    return only_->lane == &lane ? only_ : nullptr;
  }
  if (lane.queues.size() <= id_ || !lane.queues[id_] || lane.queues[id_]->heap.is_empty()) {
    return nullptr;
  }
  return lane.queues[id_]->heap.top();
}

}  // namespace forebay::engine
