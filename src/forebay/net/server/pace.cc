#include "forebay/net/server/pace.h"

#include <algorithm>

#include "forebay/base/units.h"

namespace forebay::net {

uint64_t PaceRules::least_bytes() const {
  return std::max<uint64_t>(1, least_bytes_per_s * static_cast<uint64_t>(time_ms) / 1000);
}

std::optional<bool> Pace::is_too_slow(int64_t now_ns, uint64_t all_bytes, const PaceRules& rules) {
  if (!since_) {
    begin(now_ns, all_bytes);
  }
  if (now_ns - since_->time_ns < rules.time_ms * kMillisecond) {
    return std::nullopt;
  }
  const bool is_slow = all_bytes - since_->all_bytes < rules.least_bytes();
  begin(now_ns, all_bytes);
  return is_slow;
}

void TakingPace::look(int64_t now_ns, uint64_t taken_bytes, std::optional<int64_t> oldest_ns,
                      const PaceRules& rules) {
  // The system's queue may hold more than it was counted to be given, under TLS.
  taken_bytes_ = std::max(taken_bytes_, taken_bytes);
  has_waited_ = oldest_ns && now_ns - *oldest_ns >= rules.time_ms * kMillisecond;
  if (!oldest_ns) {
    return begin();
  }
  is_slow_ = pace_.is_too_slow(now_ns, taken_bytes_, rules).value_or(is_slow_);
}

}  // namespace forebay::net
