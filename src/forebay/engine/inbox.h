// Holds pushed tasks until a thread that holds the engine's mutex sorts them into the graph. The inbox has
// its own lock, so pushing threads and workers meet once a batch rather than once a task.
//
// Open: somebody has promised to look. Closed: nobody has, so a thread that puts a task in must sort it in
// itself. Only a thread that holds the engine's mutex opens, closes or takes. So no task is forgotten: it is
// put in either before close(), which then fails, or after it, and then its pusher is told.
//
// Variables whose last handle is gone also come this way, behind all tasks that use them, so neither a task
// nor its end has to count references. They are never urgent and wake nobody.
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

/// Decides whether a task may run before the tasks pushed before it even if it depends on none of them.
struct Turn {
  const Lane* lane = nullptr;
  int priority = 0;
  bool has_order = false;  // whether the task has an explicit order

  bool may_pass(const Turn& before) const {
    return lane != before.lane || priority > before.priority || has_order;
  }
};

class alignas(64) Inbox {
 public:
  struct Contents {
    std::vector<Task*> tasks;               // in the order of pushes
    std::vector<VariableState*> unhandled;  // no later task uses them
    bool has_hurry = false;                 // whether a task may overtake one before it
  };

  /// Callable from any thread. Returns true when the inbox is closed: the caller must then take the engine's
  /// mutex and sort in. The order of puts is the order of pushes.
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

  /// Callable from any thread.
  void put(VariableState* unhandled) {
    const MutexLock lock(mutex_);
    contents_.unhandled.push_back(unhandled);
  }

  /// Callable from any thread. Sees at least the tasks that this thread put in, or otherwise knows of.
  bool has_tasks() const { return count_.load(std::memory_order_relaxed) != 0; }

  /// Callable from any thread. Whether some task should not wait until those before it are sorted in and run.
  bool has_hurry() const { return has_hurry_.load(std::memory_order_relaxed); }

  /// Swaps the contents with `into`, which must be empty.
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

  /// Returns false, and stays open, when a task is in it.
  bool close() {
    const MutexLock lock(mutex_);
    is_open_ = !contents_.tasks.empty();
    return !is_open_;
  }

 private:
  Mutex mutex_;
  bool is_open_ FOREBAY_GUARDED_BY(mutex_) = false;
  Contents contents_ FOREBAY_GUARDED_BY(mutex_);
  Turn last_turn_ FOREBAY_GUARDED_BY(mutex_);  // of the last task put in
  std::atomic<size_t> count_{0};               // written under mutex_
  std::atomic<bool> has_hurry_{false};         // written under mutex_
};

}  // namespace forebay::engine
