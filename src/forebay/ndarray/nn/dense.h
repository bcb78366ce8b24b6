// Fully connected layers and embeddings.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// data weight^T + bias, where weight is (units, inputs) and bias is (units) or an invalid array for none.
/// `flatten`: all axes of data but the first are inputs; otherwise only the last one.
Result<Array> fully_connected(const Array& data, const Array& weight, const Array& bias, bool flatten);

/// The rows of weight that the indices select (of any type; indices below 0 or past the end give the first or
/// last row, as in MXNet). The gradient is summed in the order of the indices.
Result<Array> embedding(const Array& indices, const Array& weight);

}  // namespace forebay::ndarray
