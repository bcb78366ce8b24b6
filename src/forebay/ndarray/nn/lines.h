// Shared by softmax and the losses based on it: work on lines along an axis, and values per line. Internal to
// ndarray.
#pragma once

#include <span>
#include <string_view>

#include "forebay/ndarray/axis.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/nn/work.h"

namespace forebay::ndarray {

/// The input at that place; null if there are fewer.
template <class T>
const T* optional(std::span<const tensor::TensorView> inputs, size_t place) {
  return place < inputs.size() ? inputs[place].as<T>() : nullptr;
}

/// Calls body(T{}, first line, last line) for all lines.
template <class Body>
Status for_lines(tensor::DType dtype, const kernels::Lines& lines, Body&& body) {
  return visit_real(dtype, [&](auto zero) {
    return share(lines.count(), places_a_share(lines.length),
                 [&](int64_t first, int64_t last) { body(zero, first, last); });
  });
}

/// Converts labels and lengths of any type to the data's type. They have no gradient.
inline Result<Array> of_type(const Array& array, tensor::DType dtype) {
  return array.dtype() == dtype ? Result<Array>(array.detached()) : cast(array.detached(), dtype);
}

/// invalid_argument unless `left` has one number for each line of `data` along that axis.
inline Status check_left(const tensor::Shape& data, int place, const Array& left, std::string_view what) {
  const tensor::Shape expected = without_axis(data, place);
  const bool fits = left.volume() == expected.volume() &&
                    (left.shape() == expected || expected.rank() == 0 || left.volume() == left.shape()[0]);
  return fits ? ok_status()
              : invalid_argument("{} of {} for {} with axis {} left out", what, left.shape().to_string(),
                                 data.to_string(), place);
}

}  // namespace forebay::ndarray
