// The samples of one batch at a step that takes several of them at once.
//
// Neighbours in the batch form a group. A group is complete when each of its samples has arrived or left: a
// broken sample leaves, and so does one that waits for memory, so nobody waits for it in vain. A sample that
// arrives after its group was taken forms a group of its own.
//
// With `in_order`, for functions of the user, groups are taken one after another, in the order of the batch.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/sync/mutex.h"

namespace forebay::pipeline {

/// Thread safe. Samples are named by their index in the batch.
class Groups {
 public:
  /// `samples` in the batch, at most `size` in a group.
  Groups(int samples, int size, bool in_order);

  bool is_in_order() const { return in_order_; }

  /// The sample has reached the step. Called again when another one replaces it.
  void arrive(int index) FOREBAY_EXCLUDES(mutex_);
  /// The sample will not reach the step, or not soon. No effect if it has already arrived.
  void leave(int index) FOREBAY_EXCLUDES(mutex_);

  /// Takes a complete group: its samples, in the order of the batch. Empty when there is none, or, in order,
  /// while the group taken last has not finished.
  std::vector<int> take() FOREBAY_EXCLUDES(mutex_);
  /// In order: the group taken last has run.
  void finish() FOREBAY_EXCLUDES(mutex_);
  /// In order: all groups have run. False if all samples have left, because one may yet be replaced.
  bool is_over() FOREBAY_EXCLUDES(mutex_);

 private:
  enum class Place : uint8_t { kToCome, kArrived, kLeft };

  struct Group {
    int to_come = 0;
    bool is_taken = false;
    std::vector<int> members;
  };

  void skip_passed() FOREBAY_REQUIRES(mutex_);

  const int size_;
  const bool in_order_;

  Mutex mutex_;
  std::vector<Place> places_ FOREBAY_GUARDED_BY(mutex_);  // by sample
  std::vector<Group> groups_ FOREBAY_GUARDED_BY(mutex_);  // the last ones may be of late samples
  size_t first_ FOREBAY_GUARDED_BY(mutex_) = 0;           // those before it are over
  bool is_running_ FOREBAY_GUARDED_BY(mutex_) = false;    // in order: one that was taken
  bool has_run_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::pipeline
