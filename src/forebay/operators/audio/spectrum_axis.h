// Where the frequencies of a spectrogram are.
#pragma once

#include <algorithm>
#include <cstdint>

#include "forebay/kernels/generic/lines.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// The axis 'f'; without a layout the last but one, or the only one. invalid_argument if there is none.
inline Result<int> frequency_axis(const Tensor& tensor) {
  const int rank = tensor.shape().rank();
  const int axis = tensor.layout().empty() ? std::max(0, rank - 2) : tensor.layout().find('f');
  if (axis < 0 || axis >= rank) {
    return invalid_argument("the input is {}; it must have an axis 'f', of frequencies",
                            tensor.spec().to_string());
  }
  return axis;
}

/// The lines of an array of `shape` along `axis`.
inline kernels::Lines lines_along(const Shape& shape, int axis) {
  return {shape.volume(0, axis), shape[axis], shape.volume(axis + 1, shape.rank())};
}

}  // namespace forebay::operators
