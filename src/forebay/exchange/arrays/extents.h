// Shapes and strides, usually stored inline.
#pragma once

#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"

namespace forebay::exchange {

using Extents = absl::InlinedVector<int64_t, 8>;

/// Strides of a dense row-major array.
Extents dense_strides(std::span<const int64_t> shape, int64_t item_bytes);

}  // namespace forebay::exchange
