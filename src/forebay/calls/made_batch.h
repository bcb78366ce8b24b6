// A batch that a call makes.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/calls/future_batch.h"

namespace forebay::calls {

/// The task that writes `variable` calls set(), or fails: then the variable carries its error.
class MadeBatch final : public FutureBatch {
 public:
  MadeBatch(engine::Variable variable, int size) : variable_(std::move(variable)), size_(size) {}

  void set(std::vector<tensor::Tensor> samples) FOREBAY_EXCLUDES(mutex_);

  int size() const override { return size_; }
  Ownership ownership() const override FOREBAY_EXCLUDES(mutex_);
  void add_reads(Variables* reads) const override FOREBAY_EXCLUDES(mutex_);
  Result<tensor::Tensor> sample(int index) const override FOREBAY_EXCLUDES(mutex_);
  bool is_ready() const override { return is_ready_.load(std::memory_order_acquire); }
  Result<tensor::Batch> get() override FOREBAY_EXCLUDES(mutex_);
  Result<ndarray::Array> array(const std::optional<ndarray::ArraySpec>& spec) override
      FOREBAY_EXCLUDES(mutex_);

 private:
  FutureBatchRef as_array() const FOREBAY_EXCLUDES(mutex_);
  Status give(const ndarray::Region& region) FOREBAY_EXCLUDES(mutex_);
  Result<ndarray::ArraySpec> spec_of_content() FOREBAY_EXCLUDES(mutex_);

  const engine::Variable variable_;
  const int size_;
  std::atomic<bool> is_ready_{false};
  mutable Mutex mutex_;
  std::vector<tensor::Tensor> samples_ FOREBAY_GUARDED_BY(mutex_);  // none once an array has the memory
  tensor::Layout layout_ FOREBAY_GUARDED_BY(mutex_);                // of a sample, for when an array has it
  std::optional<ndarray::Array> array_ FOREBAY_GUARDED_BY(mutex_);  // what the batch has become
};

}  // namespace forebay::calls
