// Softmax along an axis, for float and float64.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

struct SoftmaxForm {
  int axis = -1;
  bool logarithm = false;
  bool is_of_negative = false;  // softmin
  double temperature = 1;
};

/// `lengths` (shape of the data without the axis; may be invalid: all): places beyond are ignored and become
/// 0.
Result<Array> softmax(const Array& data, const SoftmaxForm& form, const Array& lengths = {});

}  // namespace forebay::ndarray
