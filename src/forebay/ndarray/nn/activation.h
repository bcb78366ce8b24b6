// Elementwise activations for float and float64.
#pragma once

#include "forebay/kernels/activation/activation.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// One of the vectorised functions; kRelu to kSoftsign are MXNet's Activation.
Result<Array> activation(kernels::Function function, const Array& data);

enum class Rectifier : uint8_t { kLeaky, kElu, kSelu, kGelu };

/// kLeaky: x below 0 times `slope`; kElu: slope (e^x - 1) below 0 (Clevert et al., 2016); kSelu: the same
/// with the constants of Klambauer et al., 2017; kGelu: x Phi(x) (Hendrycks and Gimpel, 2016).
Result<Array> rectified(Rectifier rectifier, double slope, const Array& data);

/// Multiplies x below 0 by the gamma of its channel (axis 1), or by the only gamma.
Result<Array> parametric_rectified(const Array& data, const Array& gamma);

}  // namespace forebay::ndarray
