#include "forebay/storage/remote/cost_model.h"

#include <algorithm>

namespace forebay::storage {
namespace {

constexpr double kWeight = 1.0 / 8;
// Shorter bodies say more of the buffers on the way than of the way.
constexpr uint64_t kTellingBytes = 64 << 10;
constexpr uint64_t kWidestGap = 1 << 20;
constexpr uint64_t kLeastPart = 1 << 20;
constexpr double kLongestNs = 1e15;  // eleven days

void move_towards(std::atomic<double>* mean, double value) {
  const double before = mean->load(std::memory_order_relaxed);
  mean->store(before + kWeight * (value - before), std::memory_order_relaxed);
}

}  // namespace

void CostModel::observe(int64_t first_byte_ns, int64_t body_ns, uint64_t bytes) {
  move_towards(&latency_ns_, static_cast<double>(std::max<int64_t>(first_byte_ns, 1)));
  if (bytes >= kTellingBytes) {
    move_towards(&bytes_per_ns_,
                 static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(body_ns, 1000)));
  }
}

int64_t CostModel::latency_ns() const {
  return static_cast<int64_t>(latency_ns_.load());
}

double CostModel::bytes_per_second() const {
  return bytes_per_ns_.load() * 1e9;
}

int64_t CostModel::expected_ns(uint64_t bytes) const {
  return static_cast<int64_t>(
      std::min(latency_ns_.load() + static_cast<double>(bytes) / bytes_per_ns_.load(), kLongestNs));
}

uint64_t CostModel::bytes_worth_a_request() const {
  return static_cast<uint64_t>(
      std::min(latency_ns_.load() * bytes_per_ns_.load(), static_cast<double>(kWidestGap)));
}

size_t CostModel::parts_of(uint64_t bytes, size_t most) const {
  const auto least = static_cast<uint64_t>(
      std::clamp(2 * latency_ns_.load() * bytes_per_ns_.load(), static_cast<double>(kLeastPart), 1e12));
  return static_cast<size_t>(std::clamp<uint64_t>(bytes / least, 1, most));
}

}  // namespace forebay::storage
