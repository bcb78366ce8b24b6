// A token bucket: so many units a second on average, and as many at once as have gathered.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace forebay::storage {

/// When a bucket will be full if nobody takes anything: all its state, so that processes can share it without
/// a lock. 0: it is full.
using BucketPlace = std::shared_ptr<std::atomic<int64_t>>;

/// What is taken may be more than there is: the bucket then owes it, and nobody else is served until it has
/// been made up for. So a single large amount is never refused. Thread safe; those who look and take at the
/// same moment may owe one amount each.
class TokenBucket {
 public:
  /// `per_second` 0: no limit. Without a place it has its own, and begins full.
  TokenBucket(double per_second, double capacity, BucketPlace place = nullptr)
      : per_second_(per_second),
        fills_within_ns_(ns_for(capacity, kLongestFillNs)),
        full_ns_(place ? std::move(place) : std::make_shared<std::atomic<int64_t>>(0)) {}

  /// When the next may take; at most `now_ns` if at once.
  int64_t ready_ns(int64_t now_ns) const {
    const int64_t full_ns = full_ns_->load(std::memory_order_relaxed);
    return per_second_ <= 0 || full_ns - now_ns < fills_within_ns_ ? now_ns : full_ns - fills_within_ns_ + 1;
  }
  /// How much may be taken until the bucket owes what takes `most_ns` to make up for.
  double takes_within(int64_t most_ns, int64_t now_ns) const {
    const int64_t owed_ns =
        std::max(full_ns_->load(std::memory_order_relaxed), now_ns) - now_ns - fills_within_ns_;
    return per_second_ <= 0 ? std::numeric_limits<double>::infinity()
                            : std::max(0.0, static_cast<double>(most_ns - owed_ns) / 1e9 * per_second_);
  }
  /// A negative amount gives back.
  void take(double amount, int64_t now_ns) {
    if (per_second_ <= 0) {
      return;
    }
    const int64_t step_ns = ns_for(amount, kLongestDebtNs);
    int64_t full_ns = full_ns_->load(std::memory_order_relaxed);
    int64_t next_ns = 0;
    do {
      const int64_t begin_ns = std::max(full_ns, now_ns);
      next_ns = std::min(begin_ns - now_ns, kLongestDebtNs) + now_ns + step_ns;
    } while (!full_ns_->compare_exchange_weak(full_ns, next_ns, std::memory_order_relaxed));
  }

 private:
  // Decades, which times in 64 bits have room for.
  static constexpr int64_t kLongestFillNs = 1'000'000'000'000'000'000;
  static constexpr int64_t kLongestDebtNs = 3 * kLongestFillNs;

  int64_t ns_for(double amount, int64_t most_ns) const {
    const double most = static_cast<double>(most_ns);
    return per_second_ <= 0 ? 0 : static_cast<int64_t>(std::clamp(amount / per_second_ * 1e9, -most, most));
  }

  const double per_second_;
  const int64_t fills_within_ns_;
  const BucketPlace full_ns_;
};

}  // namespace forebay::storage
