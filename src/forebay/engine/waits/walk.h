// A walk over everything a task or lane waits for: all unfinished tasks that must end first. Graphs are
// large, so a walk is made in pieces, and others go on between two pieces. Internal.
//
// Meanwhile the set of tasks that a task waits for only shrinks, except when new waits begin, and those make
// walks of their own. Tasks that end keep their memory until the walk is over, so saved places in lists stay
// valid: the place of an ended task still leads on to older ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "forebay/engine/graph/graph.h"

namespace forebay::engine {

/// A graph allows one walk at a time, because a walk marks tasks.
class Walk {
 public:
  /// The number of steps in a piece.
  static constexpr size_t kSteps = 256;

  explicit Walk(Graph& graph) FOREBAY_HOLDS;
  ~Walk() FOREBAY_HOLDS;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  void add(const Awaited& awaited) FOREBAY_HOLDS;
  /// Adds what `task` waits for, including what its body waits for.
  void add_predecessors(const Task& task) FOREBAY_HOLDS;

  /// Returns the next unfinished task, each once; nullptr at the end of the walk or of a piece.
  Task* next() FOREBAY_HOLDS;
  bool is_at_end_of_piece() const { return steps_ == kSteps; }
  /// Called after the walking thread has released and retaken the mutex.
  void begin_piece() { steps_ = 0; }

 private:
  /// What is left to visit of a list, from its newest entry on: tasks of a lane, or accesses before an
  /// access.
  struct Rest {
    Task* in_lane = nullptr;
    Access* access = nullptr;
    bool meets_reads = false;
  };

  Task* take() FOREBAY_HOLDS;
  Task* take_from_list() FOREBAY_HOLDS;

  Graph& graph_;
  uint32_t mark_ = 0;
  size_t steps_ = 0;
  absl::InlinedVector<Task*, 16> tasks_;  // most walks are short
  absl::InlinedVector<Rest, 16> lists_;
};

}  // namespace forebay::engine
