// Copying between memory with any strides: what transposing, slicing and flipping have in common with
// gathering what another framework has scattered.
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
/// to `out`, each at the sum of index times stride. Both point at the item of index 0, have no alignment to
/// keep, and do not overlap. Runs that are dense on both sides go through memory::copy, which counts them:
/// returns their bytes.
size_t copy_strided(std::span<const StridedAxis> axes, int64_t item_bytes, const void* in, void* out);

}  // namespace forebay::tensor
