// Memory for the samples of one delivered output: back to back in one buffer if they all have one spec, so
// that the framework can take the batch as one tensor without a copy.
//
// The spec is a guess: that of the previous batch, or of the first sample that asks. A sample with another
// spec gets its own memory, and the batch is ragged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/tensor/tensor.h"

namespace forebay::pipeline {

/// Makes a tensor whose memory counts against the session's limit.
using TensorMaker = std::function<Result<tensor::Tensor>(const tensor::TensorSpec&)>;

class OutputSlots {
 public:
  /// The largest buffer allocated because of a single first sample, before any batch has shown its spec.
  static constexpr uint64_t kFirstGuessBytes = uint64_t{256} << 20;

  /// Opens `samples` slots; `expected` is the spec of the previous batch if that was uniform.
  void open(int samples, std::optional<tensor::TensorSpec> expected, bool may_guess) FOREBAY_EXCLUDES(mutex_);

  /// Returns the memory of sample `index`. Thread safe.
  Result<tensor::Tensor> acquire(int index, const tensor::TensorSpec& spec, const TensorMaker& make)
      FOREBAY_EXCLUDES(mutex_);

  /// Releases the buffer; acquire() then starts over.
  void close() FOREBAY_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  int samples_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool may_guess_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::optional<tensor::TensorSpec> spec_ FOREBAY_GUARDED_BY(mutex_);
  tensor::Tensor whole_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::pipeline
