#include "forebay/storage/remote/straggler.h"

#include <algorithm>

namespace forebay::storage {
namespace {

constexpr double kQuantile = 0.95;
constexpr size_t kRecountAfter = 16;
constexpr int64_t kLeastPatienceNs = 5'000'000;

}  // namespace

void StragglerWatch::observe(uint64_t bytes, int64_t took_ns) {
  const double expected = static_cast<double>(std::max<int64_t>(costs_->expected_ns(bytes), 1));
  const MutexLock lock(mutex_);
  ratios_[seen_ % kKept] = static_cast<float>(static_cast<double>(took_ns) / expected);
  ++seen_;
  if (seen_ < kEnough || seen_ % kRecountAfter != 0) {
    return;
  }
  std::array<float, kKept> sorted = ratios_;
  const size_t count = std::min(seen_, kKept);
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(kQuantile * static_cast<double>(count));
  std::nth_element(sorted.begin(), place, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  quantile_ = *place;
}

std::optional<int64_t> StragglerWatch::patience_ns(uint64_t bytes) {
  const int64_t expected_ns = costs_->expected_ns(bytes);
  const MutexLock lock(mutex_);
  if (seen_ < kEnough) {
    return std::nullopt;
  }
  return std::max(kLeastPatienceNs,
                  static_cast<int64_t>(static_cast<double>(expected_ns) * static_cast<double>(quantile_)));
}

}  // namespace forebay::storage
