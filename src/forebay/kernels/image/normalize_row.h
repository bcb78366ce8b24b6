// What crop_mirror_normalize does to a row of pixels, as used by the stand-alone kernel and by the fused one:
// so both give the same bits. out = (in - mean[c]) * multiplier[c] + shift, each operation rounded for
// itself, then, for integers, rounded half away from zero and saturated.
#pragma once

#include <array>
#include <cstdint>

#include "forebay/tensor/dtype.h"

namespace forebay::kernels {

inline constexpr int kMaxNormalizedChannels = 16;

/// Per-channel constants; entries from the number of input channels on are not used.
struct NormalizeConstants {
  std::array<float, kMaxNormalizedChannels> mean{};
  std::array<float, kMaxNormalizedChannels> multiplier{};  // scale / std
  float shift = 0;
};

/// Where a row goes: element (x, c) is data[x * pixel_stride + c * channel_stride], of the type `dtype`.
struct NormalizedRow {
  void* data = nullptr;
  tensor::DType dtype = tensor::DType::kFloat;  // float, float16, uint8, int8
  int64_t pixel_stride = 1;
  int64_t channel_stride = 0;
};

/// Writes `width` pixels of `channels` channels, the last pixel first when `mirror`. `in` is interleaved.
void normalize_row(const uint8_t* in, int width, int channels, bool mirror,
                   const NormalizeConstants& constants, const NormalizedRow& out);

/// normalize_row() of round_row() of `in`, three channels to three planes of float, `plane` elements apart:
/// the main case, in one pass. One float behind `in` is read.
void round_normalize_row(const float* in, int width, bool mirror, const NormalizeConstants& constants,
                         float* out, int64_t plane);

/// The same for any input: element (x, c) of `in` is in[x * pixel_stride + c * channel_stride]. float inputs.
void normalize_row(const float* in, int64_t in_pixel_stride, int64_t in_channel_stride, int width,
                   int channels, bool mirror, const NormalizeConstants& constants, const NormalizedRow& out);

}  // namespace forebay::kernels
