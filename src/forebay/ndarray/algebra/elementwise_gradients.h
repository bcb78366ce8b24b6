// The derivatives of elementwise operations, as operations.
#pragma once

#include "forebay/ndarray/algebra/elementwise.h"

namespace forebay::ndarray {

bool has_gradient(ArithmeticOp op);
/// Whether the function is constant except for jumps: its gradient is 0, as in MXNet.
bool has_zero_gradient(ArithmeticOp op);
/// What the gradient of the operation needs: on arrays, or with a scalar.
Keeps kept_by(ArithmeticOp op, Places wanted);
Keeps kept_with_scalar(ArithmeticOp op, bool reversed);

Result<Arrays> elementwise_gradients(ArithmeticOp op, const GradientRequest& request);
Result<Arrays> scalar_gradients(ArithmeticOp op, double scalar, bool reversed,
                                const GradientRequest& request);

}  // namespace forebay::ndarray
