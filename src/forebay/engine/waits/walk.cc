#include "forebay/engine/waits/walk.h"

#include <utility>

namespace forebay::engine {

Walk::Walk(Graph& graph) : graph_(graph), mark_(++graph.visit_) {
  graph.is_walked_ = true;
}

Walk::~Walk() {
  graph_.is_walked_ = false;
}

void Walk::add(const Awaited& awaited) {
  if (awaited.task != nullptr) {
    tasks_.push_back(awaited.task);
  }
  if (awaited.lane != nullptr && awaited.lane->last != nullptr) {
    lists_.push_back({.in_lane = awaited.lane->last});
  }
}

void Walk::add_predecessors(const Task& task) {
  if (task.running != nullptr) {
    if (task.running->awaited != nullptr) {
      add(*task.running->awaited);
    }
    if (task.running->inner != nullptr) {
      tasks_.push_back(task.running->inner);
    }
  }
  const bool waits_though_granted = task.state == TaskState::kIssued;
  for (const Access& access : task.accesses()) {
    if (access.previous != nullptr && (waits_though_granted || !access.granted)) {
      lists_.push_back({.access = access.previous, .meets_reads = access.writes});
    }
  }
}

Task* Walk::next() {
  while (steps_ < kSteps && !(tasks_.empty() && lists_.empty())) {
    ++steps_;
    Task* const task = take();
    if (task != nullptr && task->state != TaskState::kFinished &&
        std::exchange(task->visit, mark_) != mark_) {
      return task;
    }
  }
  return nullptr;
}

Task* Walk::take() {
  if (tasks_.empty()) {
    return take_from_list();
  }
  Task* const task = tasks_.back();
  tasks_.pop_back();
  return task;
}

/// Returns nullptr when the next entry is not waited for.
Task* Walk::take_from_list() {
  Rest& rest = lists_.back();
  Task* task = nullptr;
  if (rest.in_lane != nullptr) {
    task = rest.in_lane;
    rest.in_lane = task->lane_previous;
  } else {
    const Access& access = *rest.access;
    task = access.writes || rest.meets_reads ? &access.task() : nullptr;
    rest.access = access.writes ? nullptr : access.previous;
  }
  if (rest.in_lane == nullptr && rest.access == nullptr) {
    lists_.pop_back();
  }
  return task;
}

}  // namespace forebay::engine
