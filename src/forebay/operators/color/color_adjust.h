// Shared by the operators that change colours.
#pragma once

#include <optional>

#include "forebay/kernels/image/color.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {

/// Output 0 is input 0 (images with interleaved RGB) with `twist` applied, of type `dtype` or the input's.
Status twist_colors(Sample& sample, const kernels::ColorTwist& twist, std::optional<DType> dtype);

/// Output 0 is input 0 with `adjustment` applied, of type `dtype` or the input's.
Status adjust_brightness_contrast(Sample& sample, const kernels::BrightnessContrast& adjustment,
                                  std::optional<DType> dtype);

/// `dtype` and the input, documented the same way by all of them.
struct ColorOutput {
  std::optional<DType> dtype;
};

/// `image_type` is accepted for scripts that pass it; the channels are always read as RGB.
struct TwistOutput : ColorOutput {
  ImageType image_type = ImageType::kRGB;
};

template <class T>
void add_color_output(Description<T>& description) {
  description.param("dtype", &T::dtype, "Type of the output; the input's without it.");
}

template <class T>
void add_twist_output(Description<T>& description) {
  description.param("dtype", &T::dtype, "Type of the output; the input's without it.")
      .param("image_type", &T::image_type,
             "Accepted and not used: the channels are read as red, green and blue.");
}

}  // namespace forebay::operators
