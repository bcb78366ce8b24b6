// Walking over the elements of a tensor with any strides: what flip, transpose, slice and subscript have in
// common. tensor/strided_copy.h in a kernel's terms.
#pragma once

#include <array>
#include <cstdint>

#include "forebay/tensor/shape.h"

namespace forebay::kernels {

using Strides = std::array<int64_t, tensor::kMaxRank>;  // in elements

/// Strides of a dense tensor.
Strides dense_strides(const tensor::Shape& shape);

/// Copies elements of 1, 2, 4 or 8 bytes: the element at index (i, j, ...) of `shape` from `in` at the sum of
/// index times stride to `out` likewise. Strides may be negative or 0 on the input side. Ranges that are
/// dense on both sides go through memory::copy. `in` and `out` point at the element of index 0 and may not
/// overlap.
void copy_strided(const tensor::Shape& shape, int element_bytes, const void* in, const Strides& in_strides,
                  void* out, const Strides& out_strides);

/// Writes one value of `element_bytes` at `value` to all of a strided range.
void fill_strided(const tensor::Shape& shape, int element_bytes, const void* value, void* out,
                  const Strides& out_strides);

}  // namespace forebay::kernels
