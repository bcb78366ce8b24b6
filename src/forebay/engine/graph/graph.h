// What is to be done: the tasks between push and end, the variables and lanes that they are of, and who is
// ready. It knows no thread. Internal; but for the inbox all of it is guarded by the engine's mutex.
//
// Pushed tasks wait in the inbox until they are sorted in (sort_in.cc): they get a number, their places in
// the lists of their variables and in their lane. A task of which every access is granted is ready, or
// skipped (graph.cc). What an end sets free is gathered first and made ready by ready_unblocked(), so that
// nothing here calls itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forebay/engine/crew/executor.h"
#include "forebay/engine/graph/inbox.h"
#include "forebay/engine/graph/ready_queue.h"
#include "forebay/engine/graph/task.h"
#include "forebay/engine/graph/task_tracer.h"

namespace forebay::engine {

/// The same error with the task's name and site before its text. OK stays OK.
Status named_error(const Task& task, Status status);

/// Lets the thread of `waiter`, which waits for a task of `lane` or for all of them, go on with `status`.
void end_wait(Waiter& waiter, Lane& lane, Status status) FOREBAY_HOLDS;

class Graph {
 public:
  static constexpr size_t kEverything = static_cast<size_t>(-1);

  /// `trace` must outlive it.
  explicit Graph(Trace& trace);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Where pushed tasks wait; any thread.
  Inbox& inbox() { return inbox_; }
  const Inbox& inbox() const { return inbox_; }
  TaskTracer& tracer() { return tracer_; }

  // sort_in.cc
  /// At most so many of the tasks that were pushed.
  void sort_in(size_t most) FOREBAY_HOLDS;
  /// Of the tasks that were taken out of the inbox.
  bool has_unsorted() const FOREBAY_HOLDS { return sorted_ < unsorted_.tasks.size(); }
  bool has_hurry() const FOREBAY_HOLDS { return inbox_.has_hurry() || unsorted_.has_hurry; }
  /// Gives memory back that pushed tasks took, when there are none.
  void trim() FOREBAY_HOLDS;

  // Lanes
  void add(const LaneRef& lane) FOREBAY_HOLDS;
  /// That of an executor which has ended: what lanes keep for it goes.
  void forget_queue(size_t id) FOREBAY_HOLDS;
  /// See Engine::cancel.
  void cancel(Lane& lane) FOREBAY_HOLDS;
  /// From now on tasks are skipped; all lanes are cancelled. False when that has been done.
  bool stop() FOREBAY_HOLDS;
  bool is_stopping() const { return is_stopping_.load(std::memory_order_relaxed); }
  /// A thread has a place among those that run tasks of the lane.
  void take_place(Lane& lane) FOREBAY_HOLDS { ++lane.running; }
  /// The same thread. Tasks that have waited get a place before others begin.
  void release_place(Lane& lane) FOREBAY_HOLDS {
    if (lane.options.width > 0) {
      release_narrow_place(lane);
    } else {
      --lane.running;
    }
  }
  /// Some task of the lane has ended or does not run any more.
  void update(Lane& lane) FOREBAY_HOLDS;
  /// Whether a pusher need not wait for others to end: few are left, or nothing can run.
  bool has_room_for_more(const Lane& lane) const FOREBAY_HOLDS;
  void note_error(Lane& lane, const Status& status) FOREBAY_HOLDS;

  // The life of a task
  ReadyQueue& queue() FOREBAY_HOLDS { return queue_; }
  /// Out of where ready and held tasks wait.
  void take_out(Task& task) FOREBAY_HOLDS;
  /// Its body has returned `status`, at `end` of the trace's ticks; 0: it is not traced.
  void end_body(Task& task, Status status, int64_t end) FOREBAY_HOLDS;
  /// One of the things that must end before it is done.
  void end_part(Task& task, Status status) FOREBAY_HOLDS;
  void finish(Task& task) FOREBAY_HOLDS;
  /// An access of a task for a device, which others of them may follow from now on.
  void issue(Access& access) FOREBAY_HOLDS;
  /// A traced task has been put on its device's queue.
  void trace_issue(Task& task) FOREBAY_HOLDS;
  /// What has become free is ready, or ends. After finish(), end_part() and issue().
  void ready_unblocked() FOREBAY_HOLDS;
  /// Why its body is not to run; OK: it is.
  Status reason_to_skip(const Task& task) const FOREBAY_HOLDS;
  Status inherited_error(const Task& task) const FOREBAY_HOLDS;
  /// Tasks to be destroyed, by Task::chain, without the mutex.
  Task* take_finished() FOREBAY_HOLDS { return is_walked_ ? nullptr : std::exchange(finished_, nullptr); }
  bool has_finished() const FOREBAY_HOLDS { return !is_walked_ && finished_ != nullptr; }

  bool is_walked() const FOREBAY_HOLDS { return is_walked_; }

  size_t unfinished() const FOREBAY_HOLDS { return unfinished_; }
  /// Grows whenever something may have become runnable.
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
  std::atomic<bool> is_stopping_{false};  // set under the mutex
  TaskTracer tracer_;

  // What pushing threads read lies apart from what changes with each task, and of that what always does comes
  // first.
  alignas(kLineBytes) Inbox::Contents unsorted_ FOREBAY_GUARDED;  // taken out of the inbox,
  size_t sorted_ FOREBAY_GUARDED = 0;                             // of whose tasks so many are sorted in
  uint64_t next_task_ FOREBAY_GUARDED = 1;
  uint64_t ready_version_ FOREBAY_GUARDED = 0;
  size_t unfinished_ FOREBAY_GUARDED = 0;  // tasks
  Task* finished_ FOREBAY_GUARDED = nullptr;
  TaskList unblocked_ FOREBAY_GUARDED;       // to be made ready
  Lane* changed_ FOREBAY_GUARDED = nullptr;  // to be updated when nothing is unblocked any more
  bool is_walked_ FOREBAY_GUARDED = false;   // finished tasks stay, as a walk may be on its way to one
  ReadyQueue queue_ FOREBAY_GUARDED{0};      // of compute workers
  int64_t last_end_ FOREBAY_GUARDED = 0;     // the latest of all traced tasks so far, in ticks
  int64_t body_end_ FOREBAY_GUARDED = 0;     // while what a traced body's end brings about is done
  uint32_t visit_ FOREBAY_GUARDED = 0;       // mark of the walk begun last
  uint64_t next_lane_ FOREBAY_GUARDED = 1;
  std::vector<LaneRef> lanes_ FOREBAY_GUARDED;
};

}  // namespace forebay::engine
