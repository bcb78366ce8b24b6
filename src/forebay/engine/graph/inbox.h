// Where pushed tasks wait until somebody who holds the Core's mutex sorts them into the graph. Its lock is
// its own, so that a pushing thread and the workers meet once a batch, not once a task.
//
// Open: somebody has promised to look. Closed: nobody has, so who puts a task in has to see to it. Only who
// holds the Core's mutex opens, closes and takes; so a task is never forgotten: it is put in either before
// the closing, which then fails, or after it, and its pusher is told.
//
// Variables whose last handle has gone come the same way, behind all tasks that use them: so neither a task
// nor its end has to count references. They are in no hurry and open nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"

namespace forebay::engine {

class Lane;
struct Task;
struct VariableState;

/// What decides whether a task may run before those that were pushed before it, although nobody has to wait.
struct Turn {
  const Lane* lane = nullptr;
  int priority = 0;
  bool has_order = false;  // one of its own

  bool may_pass(const Turn& before) const {
    return lane != before.lane || priority > before.priority || has_order;
  }
};

class alignas(64) Inbox {
 public:
  struct Contents {
    std::vector<Task*> tasks;               // in the order of pushes
    std::vector<VariableState*> unhandled;  // no task that comes later uses them
    bool has_hurry = false;                 // one of the tasks may pass one before it
  };

  /// Any thread. True when the inbox is closed: the caller must take the Core's mutex and sort in. The order
  /// of puts is the order of pushes.
  bool put(Task* task, const Turn& turn) {
    const MutexLock lock(mutex_);
    contents_.tasks.push_back(task);
    if (turn.may_pass(last_turn_)) {
      contents_.has_hurry = true;
      has_hurry_.store(true, std::memory_order_relaxed);
    }
    last_turn_ = turn;
    count_.store(contents_.tasks.size(), std::memory_order_relaxed);
    return !is_open_;
  }

  /// Any thread.
  void put(VariableState* unhandled) {
    const MutexLock lock(mutex_);
    contents_.unhandled.push_back(unhandled);
  }

  /// Any thread. Sees at least the tasks that this thread has put in, or knows of by other means.
  bool has_tasks() const { return count_.load(std::memory_order_relaxed) != 0; }

  /// Any thread. Whether a task is among them that should not wait for those before it to be sorted in and
  /// run.
  bool has_hurry() const { return has_hurry_.load(std::memory_order_relaxed); }

  /// Swaps what is in it with `into`, which is empty.
  void take(Contents& into) {
    const MutexLock lock(mutex_);
    contents_.tasks.swap(into.tasks);
    contents_.unhandled.swap(into.unhandled);
    into.has_hurry = std::exchange(contents_.has_hurry, false);
    has_hurry_.store(false, std::memory_order_relaxed);
    count_.store(0, std::memory_order_relaxed);
  }

  void open() {
    const MutexLock lock(mutex_);
    is_open_ = true;
  }

  /// False, and it stays open, when there is a task in it.
  bool close() {
    const MutexLock lock(mutex_);
    is_open_ = !contents_.tasks.empty();
    return !is_open_;
  }

 private:
  Mutex mutex_;
  bool is_open_ FOREBAY_GUARDED_BY(mutex_) = false;
  Contents contents_ FOREBAY_GUARDED_BY(mutex_);
  Turn last_turn_ FOREBAY_GUARDED_BY(mutex_);  // of the task put in last
  std::atomic<size_t> count_{0};               // written under mutex_,
  std::atomic<bool> has_hurry_{false};         // both of them
};

}  // namespace forebay::engine
