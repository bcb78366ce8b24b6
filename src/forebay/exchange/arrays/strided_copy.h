// Copies arrays that are not contiguous.
#pragma once

#include <cstddef>

namespace forebay::exchange {

struct StridedArray;

/// Writes the elements of a checked array in host memory to `target`, row-major without gaps, and counts
/// size_bytes() as copied. The ranges must not overlap.
void gather(const StridedArray& from, std::byte* target);

}  // namespace forebay::exchange
