// A step that batches take one after the other, in order, although workers bring them in any order: what
// Python returns or receives may depend on earlier calls.
#pragma once

#include <cstdint>
#include <map>

#include "forebay/pipeline/jobs/job.h"

namespace forebay::pipeline {

/// Not thread safe. Batches are identified by their iteration, which counts from 0 in a phase.
class Turns {
 public:
  /// Whether it is (or was) this batch's turn. If not, the batch is kept until then, also where it was said
  /// that it will not come: one that is made again does.
  bool take(const BatchRef& batch) {
    const bool is_its_turn = batch->iteration <= next_;
    if (!is_its_turn) {
      early_.insert_or_assign(batch->iteration, batch);
    }
    return is_its_turn;
  }

  /// Removes a waiting batch that starts over; it will come again.
  void leave(int64_t iteration) { early_.erase(iteration); }

  /// Called when a batch has taken the step or never will. Returns the waiting batch whose turn it now is, or
  /// null.
  BatchRef pass(int64_t iteration) {
    if (iteration > next_) {
      early_.try_emplace(iteration, nullptr);  // it may have been made again, and wait
    }
    if (iteration != next_) {
      return nullptr;
    }
    ++next_;
    for (auto first = early_.begin(); first != early_.end() && first->first == next_;
         first = early_.begin()) {
      BatchRef batch = std::move(first->second);
      early_.erase(first);
      if (batch != nullptr) {
        return batch;
      }
      ++next_;
    }
    return nullptr;
  }

  void clear() { early_.clear(); }

 private:
  int64_t next_ = 0;
  std::map<int64_t, BatchRef> early_;  // null: will not come
};

}  // namespace forebay::pipeline
