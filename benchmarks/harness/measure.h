// What rows measure with: the clock, and medians.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace contender {

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// There is one.
inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

}  // namespace contender
