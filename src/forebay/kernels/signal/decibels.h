// Ratios as decibels.
#pragma once

#include <cstdint>

namespace forebay::kernels {

/// The largest of the values; NaN is passed over. At least `least`.
float largest(const float* values, int64_t count, float least);

/// out[i] = multiplier * log10(max(min_ratio, in[i] / reference)); NaN stays NaN. The same bits on every
/// target, within some 2e-7 of the logarithm. `in` and `out` may be the same.
void to_decibels(const float* in, int64_t count, float multiplier, float reference, float min_ratio,
                 float* out);

}  // namespace forebay::kernels
