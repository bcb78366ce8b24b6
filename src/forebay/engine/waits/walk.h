// A walk over what a task or a lane waits for: all unfinished tasks that have to end first. Graphs are large,
// so it is made in pieces, and everybody else goes on between two of them. Internal.
//
// What a task waits for only gets less meanwhile, but for waits that begin, and those make a walk of their
// own. Tasks that end keep their memory until the walk is over, so that places in lists stay good: those of a
// task that has ended still lead on to older ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "forebay/engine/graph/graph.h"

namespace forebay::engine {

/// One at a time on a graph, as it marks tasks.
class Walk {
 public:
  /// A piece: so many steps.
  static constexpr size_t kSteps = 256;

  explicit Walk(Graph& graph) FOREBAY_HOLDS;
  ~Walk() FOREBAY_HOLDS;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  void add(const Awaited& awaited) FOREBAY_HOLDS;
  /// What `task` waits for, also because of what its body waits for.
  void add_predecessors(const Task& task) FOREBAY_HOLDS;

  /// The next unfinished task, each once; null at the end of the walk, and of a piece.
  Task* next() FOREBAY_HOLDS;
  bool is_at_end_of_piece() const { return steps_ == kSteps; }
  /// Whoever walks has let go of the mutex, and holds it again.
  void begin_piece() { steps_ = 0; }

 private:
  /// What is still to be met of a list, from its newest on: tasks of a lane, or what comes before an access.
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
