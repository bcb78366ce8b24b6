// A batch: the samples of one output of one iteration. Uniform when all samples have one shape and lie behind
// each other in one buffer, so that a framework takes the whole as one tensor; ragged otherwise.
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

  /// True when all samples have the same shape and dtype.
  bool has_uniform_shape() const;

  /// The batch as one tensor of shape (size, sample shape...), layout "N" before the samples', without a
  /// copy; nothing when the samples do not lie behind each other in one buffer.
  std::optional<Tensor> as_tensor() const;

  /// As as_tensor(), copying (counted) where it must; invalid_argument when shapes or dtypes differ.
  Result<Tensor> stacked() const;

 private:
  std::vector<Tensor> samples_;
};

}  // namespace forebay::tensor
