// A value over time with no more points than can be displayed: its steps, where it changes slowly, else its
// maxima.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "forebay/base/units.h"

namespace forebay {

/// Values that are counted together, and last until the next point.
template <size_t kValues>
struct CurvePoint {
  int64_t at_ns = 0;
  std::array<int64_t, kValues> values = {};
};

/// Of points in the order of time. An interval has at most two, the maximum of each value and what it ends
/// with, and lasts a millisecond: less in a curve of less than a second, more in one of more than 20. What
/// repeats the point before it is left out.
template <size_t kValues>
std::vector<CurvePoint<kValues>> thinned(const std::vector<CurvePoint<kValues>>& points) {
  constexpr int64_t kFewest = 1000;  // intervals of a curve that has so many points
  constexpr int64_t kMost = 20000;
  const int64_t lasts_ns = points.empty() ? 0 : points.back().at_ns - points.front().at_ns;
  const int64_t interval_ns = std::max(std::min(lasts_ns / kFewest, kMillisecond), lasts_ns / kMost);
  std::vector<CurvePoint<kValues>> kept;
  const auto keep = [&kept](const CurvePoint<kValues>& point) {
    if (kept.empty() || kept.back().values != point.values) {
      kept.push_back(point);
    }
  };
  for (size_t i = 0; i < points.size();) {
    CurvePoint<kValues> most = {.at_ns = points[i].at_ns};
    most.values.fill(std::numeric_limits<int64_t>::min());
    for (; i < points.size() && points[i].at_ns <= most.at_ns + interval_ns; ++i) {
      if (i + 1 < points.size() && points[i + 1].at_ns == points[i].at_ns) {
        continue;  // it did not last
      }
      for (size_t k = 0; k < kValues; ++k) {
        most.values[k] = std::max(most.values[k], points[i].values[k]);
      }
    }
    keep(most);
    keep(points[i - 1]);
  }
  return kept;
}

}  // namespace forebay
