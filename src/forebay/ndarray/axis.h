// An axis of a shape as kernels use it. Internal to ndarray.
#pragma once

#include "forebay/base/status.h"
#include "forebay/kernels/generic/lines.h"
#include "forebay/tensor/shape.h"

namespace forebay::ndarray {

/// The axis counted from the front. invalid_argument if it does not exist.
inline Result<int> place_of_axis(const tensor::Shape& shape, int axis) {
  const int place = axis < 0 ? axis + shape.rank() : axis;
  if (place < 0 || place >= shape.rank()) {
    return invalid_argument("axis {} of an array of {} dimensions", axis, shape.rank());
  }
  return place;
}

inline kernels::Lines lines_along(const tensor::Shape& shape, int place) {
  return {shape.volume(0, place), shape[place], shape.volume(place + 1, shape.rank())};
}

/// The shape without an axis, or with extent 1 there.
inline tensor::Shape without_axis(const tensor::Shape& shape, int place) {
  tensor::Shape left;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis != place) {
      left.push_back(shape[axis]);
    }
  }
  return left;
}

}  // namespace forebay::ndarray
