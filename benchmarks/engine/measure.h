// What the rows of this benchmark share: where a task runs, the clock, medians.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace engine_benchmark {

/// The threads that a task runs on: the engine's workers, or threads of a simulated device and of its copies.
enum class Place { kCompute, kDevice, kCopy };

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace engine_benchmark
