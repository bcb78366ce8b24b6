// When a read counts as a straggler: later than nearly all reads before it, for its length.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/remote/cost_model.h"

namespace forebay::storage {

/// Keeps how much longer recent reads took than the cost model expects. Thread safe.
class StragglerWatch {
 public:
  explicit StragglerWatch(std::shared_ptr<const CostModel> costs) : costs_(std::move(costs)) {}

  void observe(uint64_t bytes, int64_t took_ns);
  /// How long to wait for a read of `bytes` before it counts as a straggler; no value until enough reads have
  /// been seen.
  std::optional<int64_t> patience_ns(uint64_t bytes);

 private:
  static constexpr size_t kKept = 256;
  static constexpr size_t kEnough = 32;

  const std::shared_ptr<const CostModel> costs_;
  Mutex mutex_;
  std::array<float, kKept> ratios_ FOREBAY_GUARDED_BY(mutex_) = {};
  size_t seen_ FOREBAY_GUARDED_BY(mutex_) = 0;
  float quantile_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::storage
