// Shared by the operators that take each pixel from another place: water, sphere, jitter.
#pragma once

#include "forebay/kernels/image/remap.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/frames.h"

namespace forebay::operators {

/// Sets where the pixels of row `y` come from, in an image of that shape (HWC); the centre of the first pixel
/// is (0, 0).
using DisplacedRow = absl::FunctionRef<void(const Shape& image, int64_t frame, int64_t y, std::span<float> xs,
                                            std::span<float> ys)>;

struct DisplacementArguments {
  Arg<int64_t> mask = 1;
  float fill_value = 0;
  InterpType interp_type = InterpType::kNearest;

  Status prepare(const Arguments&) const;

  /// Makes output 0; shares input 0 if `mask` is 0.
  Status displace(Sample& sample, DisplacedRow row) const;
};

template <class T>
void add_displacement_arguments(Description<T>& description) {
  description.param("mask", &T::mask, "0 leaves the image as it is.")
      .param("fill_value", &T::fill_value, "What lies outside of the image.")
      .any_number()
      .param("interp_type", &T::interp_type, "INTERP_NN or INTERP_LINEAR.");
}

}  // namespace forebay::operators
