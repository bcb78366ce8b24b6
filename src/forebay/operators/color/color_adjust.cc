#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {

Result<Layout> color_layout(const Sample& sample) {
  return image_layout(sample.input(0), {"HWC", "FHWC", "DHWC", "FDHWC"});
}

Status twist_colors(Sample& sample, const Frames& frames, std::optional<DType> dtype, TwistAt twist_at) {
  const Tensor& in = sample.input(0);
  if (in.shape().back() != 3) {
    return invalid_argument("the input is {}; colours need 3 channels, red, green and blue",
                            in.spec().to_string());
  }
  TensorSpec frame_out = frames.spec();
  frame_out.dtype = dtype.value_or(in.dtype());
  return for_each_frame(sample, frames, frame_out,
                        [&](const TensorView& from, int64_t frame, const MutableTensorView& to) {
                          return kernels::transform_colors(
                              from, kernels::make_color_transform(twist_at(frame), in.dtype()), to);
                        });
}

Status adjust_brightness_contrast(Sample& sample, const Frames& frames, std::optional<DType> dtype,
                                  AdjustmentAt adjustment_at) {
  TensorSpec frame_out = frames.spec();
  frame_out.dtype = dtype.value_or(frame_out.dtype);
  return for_each_frame(sample, frames, frame_out,
                        [&](const TensorView& from, int64_t frame, const MutableTensorView& to) {
                          return kernels::adjust_brightness_contrast(from, adjustment_at(frame), to);
                        });
}

}  // namespace forebay::operators
