// The run-length coding of BMP, for pixels of 4, 8 and 24 bits.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/codec/bmp/bmp_header.h"

namespace forebay::codec {

/// Decodes all rows into `pixels`, in stored order (usually bottom up): an index a pixel, or blue, green and
/// red. What the file passes over is 0. data_loss if it ends before its end code, or leaves the image.
Status unpack_bmp_runs(Bytes bytes, const BmpLayout& layout, std::span<uint8_t> pixels);

}  // namespace forebay::codec
