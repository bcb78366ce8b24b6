// A batch: the samples of one output in one iteration. It is uniform if all samples have one shape and lie
// back to back in one buffer, so that a framework can take the whole as one tensor; otherwise it is ragged.
#pragma once

#include <optional>
#include <vector>

#include "forebay/tensor/tensor.h"

namespace forebay::tensor {

class Batch {
 public:
  Batch() = default;
  explicit Batch(std::vector<Tensor> samples) : samples_(std::move(samples)) {}

  int size() const { return static_cast<int>(samples_.size()); }
  const Tensor& operator[](int index) const { return samples_[index]; }
  const std::vector<Tensor>& samples() const { return samples_; }

  /// Whether all samples have the same shape and dtype.
  bool has_uniform_shape() const;

  /// The batch as one tensor of shape (size, sample shape...), with "N" before the samples' layout, without a
  /// copy. nullopt if the samples are not back to back in one buffer.
  std::optional<Tensor> as_tensor() const;

  /// Like as_tensor(), but copies (counted) if it must; invalid_argument if shapes or dtypes differ.
  Result<Tensor> stacked() const;

 private:
  std::vector<Tensor> samples_;
};

}  // namespace forebay::tensor
