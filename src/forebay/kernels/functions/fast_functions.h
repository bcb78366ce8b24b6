// SIMD versions for float of the functions that networks use all the time: those of activation/ with the same
// bits on every target; log2, log10, sine and cosine from Highway, with the values at the ends of their
// ranges corrected.
#pragma once

#include <cstdint>

#include "forebay/kernels/functions/functions.h"

namespace forebay::kernels {

/// Returns false, and does nothing, if the function has no fast version.
bool apply_fast(UnaryFunction function, const FunctionParameters& parameters, const float* in, int64_t count,
                float* out);

}  // namespace forebay::kernels
