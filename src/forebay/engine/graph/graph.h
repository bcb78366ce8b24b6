// What has to be done: tasks from push to end, the variables and lanes they belong to, and which tasks are
// ready. It knows no threads. Internal. All of it but the inbox is guarded by the engine's mutex.
//
// Pushed tasks wait in the inbox until they are sorted in (sort_in.cc): each gets a number, a place in the
// lists of its variables, and a place in its lane. A task whose accesses are all granted is either ready or
// skipped (graph.cc). Tasks unblocked by an end are collected first and made ready by ready_unblocked(), so
// nothing here recurses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forebay/engine/graph/executor.h"
#include "forebay/engine/graph/ready_queue.h"
#include "forebay/engine/graph/task.h"
#include "forebay/engine/graph/task_tracer.h"
#include "forebay/engine/inbox.h"

namespace forebay::engine {

/// Prefixes an error with the task's name and site. OK stays OK.
Status named_error(const Task& task, Status status);

/// Wakes the thread of `waiter`, which waits for a task of `lane` or for the whole lane, with `status`.
void end_wait(Waiter& waiter, Lane& lane, Status status) FOREBAY_HOLDS;

class Graph {
 public:
  static constexpr size_t kEverything = static_cast<size_t>(-1);

  /// `trace` must outlive it.
  explicit Graph(Trace& trace);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Holds pushed tasks; callable from any thread.
  Inbox& inbox() { return inbox_; }
  const Inbox& inbox() const { return inbox_; }
  TaskTracer& tracer() { return tracer_; }

  // sort_in.cc
  /// Sorts in at most `most` of the pushed tasks.
  void sort_in(size_t most) FOREBAY_HOLDS;
  /// Whether tasks taken out of the inbox are still to be sorted in.
  bool has_unsorted() const FOREBAY_HOLDS { return sorted_ < unsorted_.tasks.size(); }
  bool has_hurry() const FOREBAY_HOLDS { return inbox_.has_hurry() || unsorted_.has_hurry; }
  /// Frees memory kept for pushed tasks when there are none.
  void trim() FOREBAY_HOLDS;

  // Lanes
  void add(const LaneRef& lane) FOREBAY_HOLDS;
  /// That of an executor which has ended: what lanes keep for it goes.
  void forget_queue(size_t id) FOREBAY_HOLDS;
  /// See Engine::cancel.
  void cancel(Lane& lane) FOREBAY_HOLDS;
  /// Skips all tasks from now on and cancels all lanes. Returns false if that was already done.
  bool stop() FOREBAY_HOLDS;
  bool is_stopping() const { return is_stopping_.load(std::memory_order_relaxed); }
  /// Takes a place among the threads that run tasks of the lane.
  void take_place(Lane& lane) FOREBAY_HOLDS { ++lane.running; }
  /// Gives that place back, on the same thread. Tasks that have waited get a place before new ones begin.
  void release_place(Lane& lane) FOREBAY_HOLDS {
    if (lane.options.width > 0) {
      release_narrow_place(lane);
    } else {
      --lane.running;
    }
  }
  /// Called when the body of `task` begins to run on the calling thread, or goes on after a wait for others.
  void note_running(const Task& task) FOREBAY_HOLDS {
    if (task.takes_place()) [[likely]] {
      take_place(*task.lane);
    } else {
      ++task.lane->running_elsewhere;
    }
  }
  /// Called when it has ended, or waits for others.
  void note_not_running(const Task& task) FOREBAY_HOLDS {
    if (task.takes_place()) [[likely]] {
      release_place(*task.lane);
    } else {
      --task.lane->running_elsewhere;
      note_changed(*task.lane);
    }
  }
  /// The body of a task of an executor begins to wait for others, or goes on: until then the executor's other
  /// tasks cannot be counted on, since what it waits for may depend on any that is held back.
  void note_executor_waits(bool waits) FOREBAY_HOLDS;
  /// Whether tasks of the lane run, or surely will without help of those that are held back.
  bool goes_on(const Lane& lane) const FOREBAY_HOLDS {
    return lane.queued > 0 || lane.running > 0 || lane.running_elsewhere > 0 ||
           (lane.queued_elsewhere > 0 && waiting_executors_ == 0);
  }
  /// Called when a task of the lane has ended or stopped running.
  void update(Lane& lane) FOREBAY_HOLDS;
  /// Whether a pusher need not wait: few tasks are left, or nothing can run.
  bool has_room_for_more(const Lane& lane) const FOREBAY_HOLDS;
  void note_error(Lane& lane, const Status& status) FOREBAY_HOLDS;

  // The life of a task
  ReadyQueue& queue() FOREBAY_HOLDS { return queue_; }
  /// Removes a ready or held task from where it waits.
  void take_out(Task& task) FOREBAY_HOLDS;
  /// Called when the body of `task` has returned `status`. `end`: when it ended in trace ticks, or 0 if the
  /// task is not traced.
  void end_body(Task& task, Status status, int64_t end) FOREBAY_HOLDS;
  /// Called when one of the parts that must end before the task is done has ended.
  void end_part(Task& task, Status status) FOREBAY_HOLDS;
  void finish(Task& task) FOREBAY_HOLDS;
  /// Marks an access of a device task as issued; other device tasks may follow it from now on.
  void issue(Access& access) FOREBAY_HOLDS;
  /// Notes that a traced task has been put on its device's queue.
  void trace_issue(Task& task) FOREBAY_HOLDS;
  /// Makes unblocked tasks ready, or ends them. Call it after finish(), end_part() and issue().
  void ready_unblocked() FOREBAY_HOLDS;
  /// Returns why the task's body must not run, or OK if it may.
  Status reason_to_skip(const Task& task) const FOREBAY_HOLDS;
  Status inherited_error(const Task& task) const FOREBAY_HOLDS;
  /// Takes the list (by Task::chain) of finished tasks, to be destroyed without the mutex.
  Task* take_finished() FOREBAY_HOLDS { return is_walked_ ? nullptr : std::exchange(finished_, nullptr); }
  bool has_finished() const FOREBAY_HOLDS { return !is_walked_ && finished_ != nullptr; }

  bool is_walked() const FOREBAY_HOLDS { return is_walked_; }

  size_t unfinished() const FOREBAY_HOLDS { return unfinished_; }
  /// Increases whenever something may have become runnable.
  uint64_t ready_version() const FOREBAY_HOLDS { return ready_version_; }
  void note_runnable() FOREBAY_HOLDS { ++ready_version_; }

 private:
  friend class Walk;

  // sort_in.cc
  void sort_in(Task& task) FOREBAY_HOLDS;
  void take_inbox_contents() FOREBAY_HOLDS;
  void forget_unhandled() FOREBAY_HOLDS;
  void prefetch_next() FOREBAY_HOLDS;
  void merge_accesses(Task& task) FOREBAY_HOLDS;

  void forget_idle_lanes() FOREBAY_HOLDS;
  void release_narrow_place(Lane& lane) FOREBAY_HOLDS;
  void make_ready(Task& task) FOREBAY_HOLDS;
  bool is_sure_to_run(const Task& task) const FOREBAY_HOLDS;
  void make_ready_or_end(Task& task) FOREBAY_HOLDS;
  void enqueue(Task& task) FOREBAY_HOLDS;
  bool must_hold(Task& task) FOREBAY_HOLDS;
  void end_skipped(Task& task) FOREBAY_HOLDS;
  void note_changed(Lane& lane) FOREBAY_HOLDS {
    if (lane.has_interest() && !lane.is_changed) [[unlikely]] {
      lane.is_changed = true;
      lane.next_changed = std::exchange(changed_, &lane);
    }
  }
  ReadyQueue& queue_of(const Task& task) FOREBAY_HOLDS {
    return task.executor != nullptr ? task.executor->queue : queue_;
  }

  Inbox& inbox_;
  int waiting_executors_ FOREBAY_GUARDED = 0;  // bodies of executors' tasks that wait for others
  std::atomic<bool> is_stopping_{false};       // set under the mutex
  TaskTracer tracer_;

  // What pushing threads read is kept apart from what changes with each task; of the latter, the fields that
  // every task touches come first.
  alignas(kLineBytes) Inbox::Contents unsorted_ FOREBAY_GUARDED;  // taken out of the inbox
  size_t sorted_ FOREBAY_GUARDED = 0;                             // how many tasks of unsorted_ are sorted in
  uint64_t next_task_ FOREBAY_GUARDED = 1;
  uint64_t ready_version_ FOREBAY_GUARDED = 0;
  size_t unfinished_ FOREBAY_GUARDED = 0;  // tasks
  Task* finished_ FOREBAY_GUARDED = nullptr;
  TaskList unblocked_ FOREBAY_GUARDED;       // to be made ready
  Lane* changed_ FOREBAY_GUARDED = nullptr;  // to be updated once no unblocked tasks are left
  // A walk may be on its way to a finished task, so finished tasks stay.
  bool is_walked_ FOREBAY_GUARDED = false;
  ReadyQueue queue_ FOREBAY_GUARDED{kWorkersQueue};  // for the compute workers
  int64_t last_end_ FOREBAY_GUARDED = 0;             // the latest end of all traced tasks so far, in ticks
  int64_t body_end_ FOREBAY_GUARDED = 0;  // when the traced body ended whose consequences are being handled
  uint32_t visit_ FOREBAY_GUARDED = 0;    // mark of the latest walk
  uint64_t next_lane_ FOREBAY_GUARDED = 1;
  std::vector<LaneRef> lanes_ FOREBAY_GUARDED;
};

}  // namespace forebay::engine
