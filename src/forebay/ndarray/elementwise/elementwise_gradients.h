// The derivatives of elementwise operations, as operations.
#pragma once

#include "forebay/ndarray/elementwise/elementwise.h"

namespace forebay::ndarray {

bool has_gradient(ArithmeticOp op);
/// What the gradient of the operation needs: on arrays, or with a scalar.
Keeps kept_by(ArithmeticOp op);
Keeps kept_with_scalar(ArithmeticOp op);

Result<Arrays> elementwise_gradients(ArithmeticOp op, const GradientRequest& request);
Result<Arrays> scalar_gradients(ArithmeticOp op, double scalar, bool reversed,
                                const GradientRequest& request);

}  // namespace forebay::ndarray
