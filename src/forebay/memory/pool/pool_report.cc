#include "forebay/memory/pool/pool_report.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace forebay::memory {

Status exhausted_status(PoolReport report) {
  constexpr size_t kShown = 5;
  std::vector<uint64_t>& holes = report.hole_bytes;
  const uint64_t free_bytes = std::accumulate(holes.begin(), holes.end(), uint64_t{0});
  const size_t shown = std::min(kShown, holes.size());
  std::partial_sort(holes.begin(), holes.begin() + static_cast<ptrdiff_t>(shown), holes.end(),
                    std::greater<>());
  std::string text = fmt::format(
      "pool '{}' has no room for {} bytes (for queue {} of driver {}): {} of at most {} bytes are out",
      report.name, report.asked_bytes, report.queue.queue, report.queue.driver,
      report.reserved_bytes - free_bytes, report.maximum_bytes);
  if (free_bytes > 0) {
    const double fragmentation = 1 - static_cast<double>(holes[0]) / static_cast<double>(free_bytes);
    text += fmt::format(", {} are free in {} holes, fragmentation {:.2f}, the largest:", free_bytes,
                        holes.size(), fragmentation);
    for (size_t i = 0; i < shown; ++i) {
      text += fmt::format(" {}", holes[i]);
    }
  }
  if (report.reserved_bytes < report.maximum_bytes && !report.refusal.ok()) {
    text += fmt::format("; upstream gave no more: {}", message(report.refusal));
  }
  return resource_exhausted("{}", text);
}

}  // namespace forebay::memory
