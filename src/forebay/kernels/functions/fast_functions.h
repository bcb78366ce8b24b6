// The functions that networks use all the time, on float by SIMD: those of activation/ with the same bits on
// every target; log2, log10, sine and cosine are Highway's, with the values at the ends of their ranges put
// right.
#pragma once

#include <cstdint>

#include "forebay/kernels/functions/functions.h"

namespace forebay::kernels {

/// False when the function has no fast path; nothing is done then.
bool apply_fast(UnaryFunction function, const FunctionParameters& parameters, const float* in, int64_t count,
                float* out);

}  // namespace forebay::kernels
