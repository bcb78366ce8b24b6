#include "forebay/storage/remote/straggler.h"

#include <algorithm>

namespace forebay::storage {
namespace {

constexpr double kQuantile = 0.95;
constexpr double kFarLater = 2;  // else every twentieth read of a steady link would be one
constexpr size_t kRecountAfter = 16;
constexpr double kLeastPatienceNs = 5e6;
constexpr double kMaxPatienceNs = 1e15;  // eleven days

}  // namespace

void StragglerWatch::observe(uint64_t bytes, int64_t took_ns) {
  const double expected = static_cast<double>(std::max<int64_t>(costs_->expected_ns(bytes), 1));
  const size_t place = seen_.fetch_add(1);
  ratios_[place % kKept] = static_cast<float>(static_cast<double>(took_ns) / expected);
  const size_t seen = place + 1;
  if (seen < kEnough || seen % kRecountAfter != 0) {
    return;
  }
  const size_t count = std::min(seen, kKept);
  std::array<float, kKept> sorted{};
  std::copy_n(ratios_.begin(), count, sorted.begin());
  const auto quantile = sorted.begin() + static_cast<std::ptrdiff_t>(kQuantile * static_cast<double>(count));
  std::nth_element(sorted.begin(), quantile, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  quantile_ = *quantile;
}

std::optional<int64_t> StragglerWatch::patience_ns(uint64_t bytes) const {
  if (seen_.load() < kEnough) {
    return std::nullopt;
  }
  const double expected_ns = static_cast<double>(costs_->expected_ns(bytes));
  return static_cast<int64_t>(std::clamp(kFarLater * expected_ns * static_cast<double>(quantile_.load()),
                                         kLeastPatienceNs, kMaxPatienceNs));
}

}  // namespace forebay::storage
