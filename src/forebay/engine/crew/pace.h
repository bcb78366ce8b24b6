// Whether the tasks of now are so short that a second worker would only be in the way of the first: both
// would spend their time with the lock. One body in a few is timed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace forebay::engine {

/// After so long without a task that has ended, who watches takes part. The longer the tasks have been short,
/// the longer: each look costs whoever runs them some microseconds.
constexpr auto kShortestWatch = std::chrono::microseconds(200);
constexpr auto kLongestWatch = std::chrono::microseconds(1600);

/// So many tasks are sorted in between two that a worker runs.
constexpr size_t kSortedAtOnce = 32;

class Pace {
 public:
  /// Whether a worker looks into the inbox before it takes its next task. Not each time: what is in it comes
  /// from the processor that pushes.
  bool looks_now() { return !is_short() || ++runs_ % kRunsBetweenLooks == 0; }

  /// How many tasks it sorts in then, when `unfinished` ones are already: few short ones ahead of what runs,
  /// as what was sorted in long before is in no near cache any more.
  size_t sorts_now(size_t unfinished) const {
    return is_short() && unfinished >= kSortedAtOnce ? 1 : kSortedAtOnce;
  }

  /// Whether the next body is to be timed.
  bool samples_next() { return ++bodies_ % kSampledOne == 0; }

  void note(int64_t body_ns) {
    mean_ns_ += (std::min(body_ns, kLongNs) - mean_ns_) / kMemory;
    watch_time_ = is_short() ? watch_time_ : kShortestWatch;
  }

  /// A body has been running for long.
  void note_long() {
    mean_ns_ = kLongNs;
    watch_time_ = kShortestWatch;
  }

  /// Who watches has looked, and tasks have ended meanwhile.
  void note_progress() { watch_time_ = std::min(2 * watch_time_, kLongestWatch); }

  std::chrono::microseconds watch_time() const { return watch_time_; }

  bool is_short() const { return mean_ns_ < kShortNs; }

 private:
  static constexpr uint32_t kSampledOne = 31;  // a prime: programs repeat themselves in rounder numbers
  static constexpr int64_t kMemory = 4;
  static constexpr int64_t kShortNs = 400;  // about what a task costs beside its body when workers meet
  static constexpr int64_t kLongNs = 4 * kShortNs;

  static constexpr uint32_t kRunsBetweenLooks = 32;

  uint32_t runs_ = 0;
  uint32_t bodies_ = 0;
  int64_t mean_ns_ = kLongNs;
  std::chrono::microseconds watch_time_ = kShortestWatch;
};

}  // namespace forebay::engine
