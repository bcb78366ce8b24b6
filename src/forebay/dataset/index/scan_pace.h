// How many shards are read beside each other while some of their samples are awaited: as many as the wire
// takes without slowing down what is awaited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

namespace forebay::dataset {

/// Not thread safe. A scan is known by its place in the order in which samples are awaited.
class ScanPace {
 public:
  void wait(size_t place) { waiting_.insert(place); }
  /// Whether a read beside those that are under way may go, and that of this scan is the first to.
  bool may_go(size_t place) const { return reading_ < most_reading_ && place == *waiting_.begin(); }
  /// A read of a scan that has waited.
  void begin(size_t place);
  /// `taken_ns`: how long it took; 0 if it failed.
  void end(uint64_t bytes, int64_t taken_ns);

 private:
  std::set<size_t> waiting_;
  size_t reading_ = 0;
  size_t most_reading_ = 1;
  double best_rate_ = 0;  // of a single read
};

}  // namespace forebay::dataset
