// Copies between memory with arbitrary strides: the common core of transposing, slicing, flipping and
// gathering another framework's scattered data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace forebay::tensor {

struct StridedAxis {
  int64_t extent = 0;
  int64_t in_stride_bytes = 0;  // may be negative or 0
  int64_t out_stride_bytes = 0;
};

/// Copies the item of `item_bytes` bytes at every index of `axes` (outermost first; none: one item) from `in`
/// to `out`, at offsets that are the sum of index times stride. Both pointers are to the item at index 0,
/// need no alignment, and must not overlap. Runs that are dense on both sides go through memory::copy, which
/// counts them; returns the bytes of those runs.
size_t copy_strided(std::span<const StridedAxis> axes, int64_t item_bytes, const void* in, void* out);

}  // namespace forebay::tensor
