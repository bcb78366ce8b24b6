// Where the samples of one delivered output lie: behind each other in one buffer when they all have one spec,
// so that the framework takes the batch as one tensor and nothing is copied to make it so.
//
// Which spec is a guess: that of the batch before, or of the first sample that asks. A sample of another spec
// gets memory of its own, and the batch is ragged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/tensor/tensor.h"

namespace forebay::pipeline {

/// Makes a tensor whose memory is counted against the session's limit.
using TensorMaker = std::function<Result<tensor::Tensor>(const tensor::TensorSpec&)>;

class OutputSlots {
 public:
  /// Largest buffer that is made on the word of one first sample, before any batch has shown its spec.
  static constexpr uint64_t kFirstGuessBytes = uint64_t{256} << 20;

  /// `samples` slots; `expected` is the spec of the batch before, if that was uniform.
  void open(int samples, std::optional<tensor::TensorSpec> expected, bool may_guess) FOREBAY_EXCLUDES(mutex_);

  /// The memory of sample `index`. Thread safe.
  Result<tensor::Tensor> acquire(int index, const tensor::TensorSpec& spec, const TensorMaker& make)
      FOREBAY_EXCLUDES(mutex_);

  /// Lets go of the buffer; acquire() starts over.
  void close() FOREBAY_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  int samples_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool may_guess_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::optional<tensor::TensorSpec> spec_ FOREBAY_GUARDED_BY(mutex_);
  tensor::Tensor whole_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::pipeline
