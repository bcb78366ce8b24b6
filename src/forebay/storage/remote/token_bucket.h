// A token bucket: so many units a second on average, and as many at once as have gathered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace forebay::storage {

/// What is taken may be more than there is: the bucket then owes it, and nobody else is served until it has
/// been made up for. So a single large amount is never refused. Thread compatible.
class TokenBucket {
 public:
  /// `per_second` 0: no limit. Begins full.
  TokenBucket(double per_second, double capacity, int64_t now_ns)
      : per_second_(per_second), capacity_(capacity), tokens_(capacity), filled_ns_(now_ns) {}

  /// When the next may take; at most `now_ns` if at once.
  int64_t ready_ns(int64_t now_ns) {
    fill(now_ns);
    if (per_second_ <= 0 || tokens_ > 0) {
      return now_ns;
    }
    return now_ns + 1 + static_cast<int64_t>(std::min(-tokens_ / per_second_ * 1e9, kLongestWaitNs));
  }
  /// A negative amount gives back.
  void take(double amount, int64_t now_ns) {
    fill(now_ns);
    tokens_ = std::min(tokens_ - amount, capacity_);
  }

 private:
  static constexpr double kLongestWaitNs = 1e18;  // thirty years, which times in 64 bits have room for

  void fill(int64_t now_ns) {
    const int64_t passed_ns = std::max<int64_t>(now_ns - filled_ns_, 0);
    filled_ns_ += passed_ns;
    tokens_ = std::min(tokens_ + static_cast<double>(passed_ns) * 1e-9 * per_second_, capacity_);
  }

  double per_second_;
  double capacity_;
  double tokens_;
  int64_t filled_ns_;
};

}  // namespace forebay::storage
