#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

Result<MutableTensorView> color_output(Sample& sample, std::optional<DType> dtype) {
  const Tensor& in = sample.input(0);
  FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(in, {"HWC", "FHWC", "DHWC", "FDHWC"}));
  return sample.output(0, {in.shape(), dtype.value_or(in.dtype()), layout});
}

}  // namespace

Status twist_colors(Sample& sample, const kernels::ColorTwist& twist, std::optional<DType> dtype) {
  const Tensor& in = sample.input(0);
  if (in.shape().rank() == 0 || in.shape().back() != 3) {
    return invalid_argument("the input is {}; colours need 3 channels, red, green and blue",
                            in.spec().to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, color_output(sample, dtype));
  return kernels::transform_colors(in.view(), kernels::make_color_transform(twist, in.dtype()), out);
}

Status adjust_brightness_contrast(Sample& sample, const kernels::BrightnessContrast& adjustment,
                                  std::optional<DType> dtype) {
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, color_output(sample, dtype));
  return kernels::adjust_brightness_contrast(sample.input(0).view(), adjustment, out);
}

}  // namespace forebay::operators
