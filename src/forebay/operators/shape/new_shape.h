// New extents for the same elements: what `reshape` and `reinterpret` share.
#pragma once

#include <optional>
#include <vector>

#include "forebay/operators/describe.h"

namespace forebay::operators {

/// Parameters that say the new shape, and how it is found. The shape may also be input 1.
struct NewShape {
  Arg<std::vector<int64_t>> shape;
  Arg<std::vector<float>> rel_shape;
  Arg<std::vector<int64_t>> src_dims;
  std::optional<LayoutName> layout;

  /// Shapes that exclude each other; with `needs_change`, also that there is something to do.
  Status check(const Arguments& arguments, bool needs_change) const;

  /// Output 0 is input 0's memory seen as `dtype` (kNone: its own) in the new shape.
  Status apply(Sample& sample, DType dtype) const;

 private:
  Result<Shape> extents(const Sample& sample, DType dtype) const;
  Result<std::vector<int64_t>> requested(const Sample& sample) const;
  Result<std::vector<int64_t>> relative(const Sample& sample) const;
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
