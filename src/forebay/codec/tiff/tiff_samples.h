// Samples of a TIFF of 1 to 32 bits, or floating, to values of base rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/codec/tiff/tiff_layout.h"

namespace forebay::codec {

/// Converts `count` samples, the first of which is number `begin` of a stored row, and writes them `step`
/// values apart. Whole bytes are in the machine's order, fewer bits in the file's, highest first. What has
/// less bits than the base type is stretched to its range, rounded down, as in DALI.
void unpack_tiff_samples(const TiffLayout& layout, const std::byte* row, int64_t begin, int64_t count,
                         std::byte* out, int64_t step);

/// Sample number `index` of a stored row of unsigned numbers, as it is: the index of a colour.
uint32_t tiff_sample_at(const TiffLayout& layout, const std::byte* row, int64_t index);

}  // namespace forebay::codec
