// Shared by the random operators: the arguments for shape and type, and filling the output.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "forebay/operators/describe.h"

namespace forebay::operators {

/// Parameters `shape` and `dtype`; the shape may also be that of an input.
struct RandomOutput {
  Arg<std::vector<int64_t>> shape;
  std::optional<DType> dtype;

  /// `shape`, or the shape of input `like` if there is one; a scalar without either.
  Result<Shape> output_shape(const Sample& sample, int like) const;

  /// Refuses a shape given together with an input `like`.
  Status check(const Arguments& arguments, int like) const;
};

/// Makes output 0 with that shape and type and fills it element by element with `draw`, saturated to the
/// type. All draws come from one stream, in memory order.
Status fill_random(Sample& sample, const Shape& shape, DType dtype,
                   const std::function<double(RandomStream&)>& draw);

template <class T>
void add_random_output(Description<T>& description) {
  description
      .param("shape", &T::shape, "Shape of the output; a scalar without it. Not together with an input.")
      .param("dtype", &T::dtype, "Type of the output; values are rounded and saturated to it.")
      .random();
}

}  // namespace forebay::operators
