// Functions of one array, and of pairs, beyond arithmetic. Results have the operands' type, as in MXNet: in
// an integer array, fractions are truncated.
#pragma once

#include "forebay/kernels/functions/functions.h"
#include "forebay/kernels/functions/pairs.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

using kernels::FunctionParameters;
using kernels::PairFunction;
using kernels::UnaryFunction;

/// function(a). Step functions (round, sign, tests) have the gradient 0, as in MXNet.
Result<Array> apply_function(UnaryFunction function, const Array& a,
                             const FunctionParameters& parameters = {});
Status apply_function_into(UnaryFunction function, const Array& a, const FunctionParameters& parameters,
                           const Array& out);

/// function(a, b), broadcast; both must have the same type.
Result<Array> apply_pairs(PairFunction function, const Array& a, const Array& b);
/// function(a, scalar), or function(scalar, a) if `reversed`.
Result<Array> apply_pairs(PairFunction function, const Array& a, double scalar, bool reversed = false);

/// A copy that blocks gradients: they are 0 behind it.
Result<Array> stop_gradient(const Array& array);
/// Returns the array as a loss: its gradient is `scale` everywhere, whatever gradient arrives.
Result<Array> make_loss(const Array& array, double scale);

}  // namespace forebay::ndarray
