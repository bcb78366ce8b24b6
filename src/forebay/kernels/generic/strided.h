// Iterates over the elements of a tensor with any strides: the common core of flip, transpose, slice and
// subscript. Wraps tensor/strided_copy.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "forebay/tensor/shape.h"

namespace forebay::kernels {

using Strides = std::array<int64_t, tensor::kMaxRank>;  // in elements

/// Strides of a dense tensor.
Strides dense_strides(const tensor::Shape& shape);

/// Makes adjacent axes one where the tensors of all these strides go on, or stay, from one to the next, and
/// leaves out axes of one element, so that rows are long. Returns the shape that is left; `all` are its
/// strides.
tensor::Shape join_axes(const tensor::Shape& shape, std::span<Strides> all);

/// Copies elements of 1, 2, 4 or 8 bytes: the element at index (i, j, ...) of `shape` is at the sum of index
/// times stride in both `in` and `out`. Input strides may be negative or 0. Ranges that are dense on both
/// sides go through memory::copy. `in` and `out` point to the element at index 0 and must not overlap.
void copy_strided(const tensor::Shape& shape, int element_bytes, const void* in, const Strides& in_strides,
                  void* out, const Strides& out_strides);

/// Writes the value of `element_bytes` bytes at `value` to all elements of a strided range.
void fill_strided(const tensor::Shape& shape, int element_bytes, const void* value, void* out,
                  const Strides& out_strides);

}  // namespace forebay::kernels
