// hsv: changes hue, saturation and value of colours.
#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

struct Hsv {
  Arg<float> hue = 0.0f;
  Arg<float> saturation = 1.0f;
  Arg<float> value = 1.0f;
  DType dtype = DType::kUint8;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, color_layout(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats hues, FrameFloats::of(sample, hue));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats saturations, FrameFloats::of(sample, saturation));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats values, FrameFloats::of(sample, value));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, hues, saturations, values));
    return twist_colors(sample, frames, dtype, [&](int64_t frame) {
      kernels::ColorTwist twist;
      twist.hue = hues.number(frame);
      twist.saturation = saturations.number(frame);
      twist.value = values.number(frame);
      return twist;
    });
  }
};

}  // namespace

OperatorSpec hsv() {
  return describe<Hsv>("hsv", "Changes hue, saturation and value of colours.")
      .input("data", "Images, volumes or sequences with interleaved red, green and blue.")
      .param("hue", &Hsv::hue, "Turns the hue, in degrees.")
      .param("saturation", &Hsv::saturation, "Factor of the saturation; 0 gives grey.")
      .param("value", &Hsv::value, "Factor of all channels.")
      .param("dtype", &Hsv::dtype, "Type of the output.")
      .outputs("The same shape. Hue and saturation are linear approximations in the YIQ space.")
      .matches("DALI hsv")
      .build();
}

}  // namespace forebay::operators
