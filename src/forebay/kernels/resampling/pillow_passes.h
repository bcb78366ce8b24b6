// The vertical pass of pillow_resize() for bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebay::kernels {

inline constexpr int kPillowFractionBits =
    22;  // 32, minus 8 for the result, minus 2 for negative and overshooting filters

/// out[i] = sum_k weights[k] * rows[k * pitch + i] for i < size, in fixed point: rounded, shifted, clamped to
/// a byte. The 2 spare bits prevent overflow, so the order of the sums does not matter.
void pillow_blend_rows(const uint8_t* rows, ptrdiff_t pitch, const int32_t* weights, int count, int64_t size,
                       uint8_t* out);

}  // namespace forebay::kernels
