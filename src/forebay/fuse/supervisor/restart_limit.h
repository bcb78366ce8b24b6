// How often what was killed is started again: a few times at once, with pauses that grow, and then no more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "forebay/base/units.h"

namespace forebay::fuse {

class RestartLimit {
 public:
  static constexpr size_t kMost = 5;
  static constexpr int64_t kWithinNs = 10 * kSecond;
  static constexpr int64_t kFirstPauseNs = 100 * kMillisecond;  // after the second end

  /// How long after an end, which is at `now_ns`, the next start may be; nothing if there is to be none.
  std::optional<int64_t> note_end(int64_t now_ns) {
    ends_ns_.push_back(now_ns);
    while (now_ns - ends_ns_.front() > kWithinNs) {
      ends_ns_.pop_front();
    }
    if (ends_ns_.size() >= kMost) {
      return std::nullopt;
    }
    return ends_ns_.size() == 1 ? 0 : kFirstPauseNs << (ends_ns_.size() - 2);
  }
  /// How many ends there were within the time before the last one, that one among them.
  size_t ends() const { return ends_ns_.size(); }

 private:
  std::deque<int64_t> ends_ns_;
};

}  // namespace forebay::fuse
