// The derivatives of functions.h, as operations.
#pragma once

#include "forebay/ndarray/functions/functions.h"

namespace forebay::ndarray {

/// Whether the function is constant except for jumps: its gradient is 0, as in MXNet.
bool has_zero_gradient(UnaryFunction function);
/// What the gradient of the function needs.
Keeps kept_by(UnaryFunction function);

Result<Arrays> function_gradients(UnaryFunction function, const FunctionParameters& parameters,
                                  const GradientRequest& request);
/// For two arrays of one shape; logical functions have none.
Result<Arrays> pair_gradients(PairFunction function, const GradientRequest& request);
/// For an array and a number.
Result<Arrays> pair_gradients(PairFunction function, double scalar, bool reversed,
                              const GradientRequest& request);

}  // namespace forebay::ndarray
