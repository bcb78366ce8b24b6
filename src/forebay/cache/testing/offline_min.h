// The fewest bytes that a cache would have to fetch for a recorded trace if it knew all of it: Belady's MIN
// with bypass. Optimal for items of one size; a good bound for others.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace forebay::cache::testing {

class OfflineMin {
 public:
  OfflineMin(std::vector<uint64_t> trace, const std::vector<uint64_t>& sizes, uint64_t capacity_bytes)
      : trace_(std::move(trace)), sizes_(sizes), capacity_bytes_(capacity_bytes), next_(trace_.size()) {
    std::unordered_map<uint64_t, size_t> seen;
    for (size_t k = trace_.size(); k-- > 0;) {
      const auto found = seen.find(trace_[k]);
      next_[k] = found == seen.end() ? kNever : found->second;
      seen[trace_[k]] = k;
    }
  }

  uint64_t fetched_bytes() {
    uint64_t fetched = 0;
    for (size_t k = 0; k < trace_.size(); ++k) {
      if (kept_.erase({k, trace_[k]}) > 0) {
        kept_.insert({next_[k], trace_[k]});
        continue;
      }
      fetched += sizes_[trace_[k]];
      keep(trace_[k], next_[k]);
    }
    return fetched;
  }

 private:
  static constexpr size_t kNever = std::numeric_limits<size_t>::max();

  /// Keeps the item if what is read later than it makes enough room.
  void keep(uint64_t item, size_t next) {
    uint64_t room = capacity_bytes_ - held_bytes_;
    auto first_to_go = kept_.end();
    while (room < sizes_[item] && first_to_go != kept_.begin() && std::prev(first_to_go)->first > next) {
      room += sizes_[(--first_to_go)->second];
    }
    if (room < sizes_[item] || next == kNever) {
      return;
    }
    for (auto each = first_to_go; each != kept_.end(); ++each) {
      held_bytes_ -= sizes_[each->second];
    }
    kept_.erase(first_to_go, kept_.end());
    kept_.insert({next, item});
    held_bytes_ += sizes_[item];
  }

  const std::vector<uint64_t> trace_;
  const std::vector<uint64_t>& sizes_;
  const uint64_t capacity_bytes_;
  std::vector<size_t> next_;
  std::set<std::pair<size_t, uint64_t>> kept_;  // by next read
  uint64_t held_bytes_ = 0;
};

}  // namespace forebay::cache::testing
