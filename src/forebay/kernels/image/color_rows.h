// The loops of color.h over dense bytes and floats, in SIMD, with the bits of convert_saturated().
#pragma once

#include <array>
#include <cstdint>

namespace forebay::kernels {

/// out[i] = in[i] * factor + addend. `out` may be `in`.
void scale_and_add(const uint8_t* in, int64_t size, float factor, float addend, uint8_t* out);
void scale_and_add(const uint8_t* in, int64_t size, float factor, float addend, float* out);
void scale_and_add(const float* in, int64_t size, float factor, float addend, float* out);

/// One channel of the result: weights by the channels of the input, and what is added last.
struct ColorRow {
  std::array<float, 3> weights;
  float offset;
};
using ColorRows = std::array<ColorRow, 3>;

/// out[3i + row] = w0 * in[3i] + w1 * in[3i + 1] + w2 * in[3i + 2] + offset. `out` may be `in`.
void transform_three(const uint8_t* in, int64_t pixels, const ColorRows& rows, uint8_t* out);
void transform_three(const uint8_t* in, int64_t pixels, const ColorRows& rows, float* out);
void transform_three(const float* in, int64_t pixels, const ColorRows& rows, float* out);

/// The first and the third channel change places.
void swap_three(const uint8_t* in, int64_t pixels, uint8_t* out);

/// One channel of three.
void mix_three(const uint8_t* in, int64_t pixels, const ColorRow& row, uint8_t* out);

}  // namespace forebay::kernels
