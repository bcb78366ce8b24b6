// Fully connected layers and embeddings.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// data weight^T + bias: weight is (units, inputs), bias (units) or an invalid array for none. `flatten`: all
/// axes of data but the first are inputs; else the last one.
Result<Array> fully_connected(const Array& data, const Array& weight, const Array& bias, bool flatten);

/// Rows of weight, one an index (of any type; indices below 0 and beyond the end give the first and last row,
/// as in MXNet). The gradient is summed in the order of the indices.
Result<Array> embedding(const Array& indices, const Array& weight);

}  // namespace forebay::ndarray
