// Conversion between element types by DALI's rules: float to integer rounds halves away from zero and
// saturates, integer to integer saturates, integer to bool is != 0. NaN becomes 0 in integers, true in bool.
#pragma once

#include "forebay/base/status.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// Converts between any two types. The volumes must be equal. The memory must not overlap, unless `in` and
/// `out` are the same memory with types of the same size.
Status cast(const tensor::TensorView& in, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
