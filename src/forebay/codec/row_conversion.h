// Converts a row of base pixels (uint8, uint16, uint32 or float; grey, RGB, BGR or any) to the requested
// dtype and, for YCbCr, colour space.
//
// Values from 0 to the maximum of one type map to 0 to the maximum of the other (float: 0..1), rounded to
// nearest, like DALI's `ConvertSatNorm`. YCbCr is ITU-R BT.601 with foot- and headroom, computed in float,
// halves rounded away from zero: `exact` (fixed order of operations, no contraction).
#pragma once

#include <cstdint>

#include "forebay/tensor/dtype.h"

namespace forebay::codec {

/// Converts `count` pixels. `in` and `out` must not overlap. `channels` is the number of values per pixel for
/// plain conversion.
using RowConversion = void (*)(const void* in, void* out, int64_t count, int channels);

/// The conversion from base rows of type `from` to `to` (can_decode_to()); null if none is needed.
/// `to_ycbcr` expects RGB pixels.
RowConversion row_conversion(tensor::DType from, tensor::DType to, bool to_ycbcr);

}  // namespace forebay::codec
