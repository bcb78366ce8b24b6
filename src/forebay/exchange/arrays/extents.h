// Shapes and strides, held inline as a rule.
#pragma once

#include <cstdint>
#include <span>

#include "absl/container/inlined_vector.h"

namespace forebay::exchange {

using Extents = absl::InlinedVector<int64_t, 8>;

/// Row-major strides without gaps.
Extents dense_strides(std::span<const int64_t> shape, int64_t item_bytes);

}  // namespace forebay::exchange
