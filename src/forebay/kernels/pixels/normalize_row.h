// How crop_mirror_normalize processes a row of pixels. Used by the stand-alone kernel and by the fused one,
// so both give the same bits. out = (in - mean[c]) * multiplier[c] + shift, each operation rounded
// separately; integers then round halves away from zero and saturate.
#pragma once

#include <array>
#include <cstdint>

#include "forebay/tensor/dtype.h"

namespace forebay::kernels {

inline constexpr int kMaxNormalizedChannels = 16;

/// Constants per channel; entries beyond the input channels are unused.
struct NormalizeConstants {
  std::array<float, kMaxNormalizedChannels> mean{};
  std::array<float, kMaxNormalizedChannels> multiplier{};  // scale / std
  float shift = 0;
};

/// The destination of a row: element (x, c) is data[x * pixel_stride + c * channel_stride], of type `dtype`.
struct NormalizedRow {
  void* data = nullptr;
  tensor::DType dtype = tensor::DType::kFloat;  // float, float16, uint8, int8
  int64_t pixel_stride = 1;
  int64_t channel_stride = 0;
};

/// Writes `width` pixels of `channels` channels, in reverse order if `mirror`. `in` is interleaved.
void normalize_row(const uint8_t* in, int width, int channels, bool mirror,
                   const NormalizeConstants& constants, const NormalizedRow& out);

/// Combines round_row_to_even() and normalize_row() in one pass for the main case: three channels of `in` to
/// three planes of float, `plane` elements apart. Reads one float past the end of `in`.
void round_normalize_row(const float* in, int width, bool mirror, const NormalizeConstants& constants,
                         float* out, int64_t plane);

/// The same for float input with any strides: element (x, c) is in[x * pixel_stride + c * channel_stride].
void normalize_row(const float* in, int64_t in_pixel_stride, int64_t in_channel_stride, int width,
                   int channels, bool mirror, const NormalizeConstants& constants, const NormalizedRow& out);

}  // namespace forebay::kernels
