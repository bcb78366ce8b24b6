// Shared by zeros, ones, full and what is like a tensor: a tensor filled with something that broadcasts to
// it.
#pragma once

#include <optional>
#include <vector>

#include "forebay/operators/describe.h"

namespace forebay::operators {

/// Parameters of a tensor without content.
struct FilledShape {
  Arg<std::vector<int64_t>> shape;
  LayoutName layout;

  /// With `dtype`; a scalar without `shape`. invalid_argument where the layout does not fit.
  Result<TensorSpec> spec(const Sample& sample, DType dtype) const;
};

/// Output 0 of `spec`, all of it `value`.
Status fill_with(Sample& sample, const TensorSpec& spec, float value);

/// Output 0 of `spec`, filled with `value`, saturated to the type and broadcast as in NumPy: extents are
/// equal or 1, counted from the last.
Status fill_with(Sample& sample, const TensorSpec& spec, const Tensor& value);

template <class T>
void add_filled_shape(Description<T>& description) {
  description.param("shape", &T::shape, "Shape of the output; a scalar without it.")
      .param("layout", &T::layout, "Layout of the output.");
}

}  // namespace forebay::operators
