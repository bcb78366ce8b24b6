// Shared by the operators that change colours.
#pragma once

#include <optional>

#include "forebay/kernels/image/color.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/frames.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {

using TwistAt = absl::FunctionRef<kernels::ColorTwist(int64_t frame)>;
using AdjustmentAt = absl::FunctionRef<kernels::BrightnessContrast(int64_t frame)>;

/// The layout of input 0, an image, volume or sequence with interleaved channels; else invalid_argument.
Result<Layout> color_layout(const Sample& sample);

/// Output 0 is input 0 (interleaved RGB) with what `twist_at` says of each frame applied, of type `dtype` or
/// the input's.
Status twist_colors(Sample& sample, const Frames& frames, std::optional<DType> dtype, TwistAt twist_at);

/// Output 0 is input 0 with what `adjustment_at` says of each frame applied, of type `dtype` or the input's.
Status adjust_brightness_contrast(Sample& sample, const Frames& frames, std::optional<DType> dtype,
                                  AdjustmentAt adjustment_at);

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
