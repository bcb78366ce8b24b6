// Elements put in another order: flip, transpose, concatenate, stack. All element types; in and out may not
// overlap.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// Reverses the axes whose entry is true. Same shape and type.
Status flip(const tensor::TensorView& in, std::span<const bool> axes, const tensor::MutableTensorView& out);

/// out axis i is in axis permutation[i].
Status transpose(const tensor::TensorView& in, std::span<const int> permutation,
                 const tensor::MutableTensorView& out);

/// Joins along an existing axis; the other extents must agree. All of one type.
Status concatenate(std::span<const tensor::TensorView> inputs, int axis,
                   const tensor::MutableTensorView& out);

/// Joins along a new axis before `axis`; all shapes equal.
Status stack(std::span<const tensor::TensorView> inputs, int axis, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
