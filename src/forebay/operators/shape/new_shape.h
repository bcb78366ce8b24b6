// New extents for the same elements; shared by `reshape` and `reinterpret`.
#pragma once

#include <optional>
#include <vector>

#include "forebay/operators/describe.h"

namespace forebay::operators {

/// The parameters that give the new shape, and how it is computed. The shape may also be input 1.
struct NewShape {
  Arg<std::vector<int64_t>> shape;
  Arg<std::vector<float>> rel_shape;
  Arg<std::vector<int64_t>> src_dims;
  std::optional<LayoutName> layout;

  /// Refuses shapes that exclude each other and, with `needs_change`, arguments that change nothing.
  Status check(const Arguments& arguments, bool needs_change) const;

  /// Makes output 0 from input 0's memory, as `dtype` (kNone: unchanged) in the new shape.
  Status apply(Sample& sample, DType dtype) const;

 private:
  Result<Shape> extents(const Sample& sample, DType dtype) const;
  Result<Shape> requested(const Sample& sample) const;
  Result<Shape> relative(const Sample& sample) const;
  Result<Layout> output_layout(const Tensor& in, const Shape& out) const;
};

template <class T>
void add_new_shape(Description<T>& description) {
  description.param("shape", &T::shape, "The new extents. One may be -1: it takes what the others leave.")
      .param("rel_shape", &T::rel_shape, "The new extents as multiples of the input's; one may be -1.")
      .param(
          "src_dims", &T::src_dims,
          "The input's axis for each axis of the output; -1 adds an axis, of extent 1 or of the extent that "
          "rel_shape says.")
      .param("layout", &T::layout,
             "The new layout. Without it, the input's is kept if the number of axes is.");
}

}  // namespace forebay::operators
