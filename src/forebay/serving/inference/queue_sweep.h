// When a full queue looks for requests that nobody waits for any more, so that those of clients that have
// gone do not keep others out.
#pragma once

#include <cstdint>
#include <optional>

namespace forebay::serving {

/// Thread compatible. Looking through a queue takes time, which is bounded however many requests are refused.
class QueueSweep {
 public:
  /// True at once, and then again `kEvery_ns` later: of requests that are refused, by when they came.
  bool is_due(int64_t now_ns) {
    if (last_ns_ && now_ns - *last_ns_ < kEvery_ns) {
      return false;
    }
    last_ns_ = now_ns;
    return true;
  }

  static constexpr int64_t kEvery_ns = 50'000'000;

 private:
  std::optional<int64_t> last_ns_;
};

}  // namespace forebay::serving
