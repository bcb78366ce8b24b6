// When a read counts as a straggler: far later than nearly all reads before it, for its length.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "forebay/storage/remote/cost_model.h"

namespace forebay::storage {

/// Keeps how much longer recent reads took than the cost model expects. Thread safe, without a lock.
class StragglerWatch {
 public:
  explicit StragglerWatch(std::shared_ptr<const CostModel> costs) : costs_(std::move(costs)) {}

  void observe(uint64_t bytes, int64_t took_ns);
  /// How long to wait for a read of `bytes` before it counts as a straggler; no value until enough reads have
  /// been seen.
  std::optional<int64_t> patience_ns(uint64_t bytes) const;

 private:
  static constexpr size_t kKept = 256;
  static constexpr size_t kEnough = 32;

  const std::shared_ptr<const CostModel> costs_;
  std::array<std::atomic<float>, kKept> ratios_{};
  std::atomic<size_t> seen_{0};
  std::atomic<float> quantile_{0};
};

}  // namespace forebay::storage
