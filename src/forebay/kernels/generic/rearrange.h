// Rearranging elements: flip, transpose, concatenate, stack. All element types; in and out must not overlap.
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

/// Joins along an existing axis; the other extents and the types must agree.
Status concatenate(std::span<const tensor::TensorView> inputs, int axis,
                   const tensor::MutableTensorView& out);

/// Joins along a new axis before `axis`; all shapes must be equal.
Status stack(std::span<const tensor::TensorView> inputs, int axis, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
