// Whether current tasks are so short that a second worker would only get in the way of the first: both would
// spend their time on the lock. One body in a few is timed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace forebay::engine {

/// If no task ends for this long, a watching worker joins in. The longer tasks have been short, the longer
/// the watch, because each look costs the running worker some microseconds.
constexpr auto kShortestWatch = std::chrono::microseconds(200);
constexpr auto kLongestWatch = std::chrono::microseconds(1600);

/// How many tasks are sorted in between two tasks that a worker runs.
constexpr size_t kSortedAtOnce = 32;

class Pace {
 public:
  /// Whether a worker looks into the inbox before it takes its next task. It does not look each time, because
  /// the inbox's contents come from the pushing processor's cache.
  bool looks_now() { return !is_short() || ++runs_ % kRunsBetweenLooks == 0; }

  /// How many tasks a worker sorts in when `unfinished` tasks are already in the graph. When tasks are short
  /// it stays just ahead of what runs, since a task sorted in long ago has left the near caches.
  size_t sorts_now(size_t unfinished) const {
    return is_short() && unfinished >= kSortedAtOnce ? 1 : kSortedAtOnce;
  }

  /// Whether to time the next body.
  bool samples_next() { return ++bodies_ % kSampledOne == 0; }

  void note(int64_t body_ns) {
    mean_ns_ += (std::min(body_ns, kLongNs) - mean_ns_) / kMemory;
    watch_time_ = is_short() ? watch_time_ : kShortestWatch;
  }

  /// A body has been running for a long time.
  void note_long() {
    mean_ns_ = kLongNs;
    watch_time_ = kShortestWatch;
  }

  /// The watching worker looked and found that tasks have ended meanwhile.
  void note_progress() { watch_time_ = std::min(2 * watch_time_, kLongestWatch); }

  std::chrono::microseconds watch_time() const { return watch_time_; }

  bool is_short() const { return mean_ns_ < kShortNs; }

 private:
  // A prime, because programs repeat themselves in rounder numbers.
  static constexpr uint32_t kSampledOne = 31;
  static constexpr int64_t kMemory = 4;
  static constexpr int64_t kShortNs = 400;  // about what a task costs besides its body when workers contend
  static constexpr int64_t kLongNs = 4 * kShortNs;

  static constexpr uint32_t kRunsBetweenLooks = 32;

  uint32_t runs_ = 0;
  uint32_t bodies_ = 0;
  int64_t mean_ns_ = kLongNs;
  std::chrono::microseconds watch_time_ = kShortestWatch;
};

}  // namespace forebay::engine
