// Conversion between element types with DALI's rules: float to integer rounds half away from zero and
// saturates, integer to integer saturates, anything to bool is != 0. NaN becomes 0 in integers.
#pragma once

#include "forebay/base/status.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// All pairs of types. The volumes must be equal. Nothing overlaps, or `in` and `out` are the same memory and
/// types of the same size.
Status cast(const tensor::TensorView& in, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
