// color_twist: changes hue, saturation, contrast and brightness.
#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

struct ColorTwistOperator : TwistOutput {
  Arg<float> hue = 0.0f;
  Arg<float> saturation = 1.0f;
  Arg<float> contrast = 1.0f;
  Arg<float> brightness = 1.0f;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, color_layout(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats hues, FrameFloats::of(sample, hue));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats saturations, FrameFloats::of(sample, saturation));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats contrasts, FrameFloats::of(sample, contrast));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats gains, FrameFloats::of(sample, brightness));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames,
                             Frames::of(sample, layout, hues, saturations, contrasts, gains));
    return twist_colors(sample, frames, dtype, [&](int64_t frame) {
      kernels::ColorTwist twist;
      twist.hue = hues.number(frame);
      twist.saturation = saturations.number(frame);
      twist.contrast = contrasts.number(frame);
      twist.brightness = gains.number(frame);
      return twist;
    });
  }
};

}  // namespace

OperatorSpec color_twist() {
  return describe<ColorTwistOperator>("color_twist", "Changes hue, saturation, contrast and brightness.")
      .input("data", "Images, volumes or sequences with interleaved red, green and blue.")
      .param("hue", &ColorTwistOperator::hue, "Turns the hue, in degrees.")
      .param("saturation", &ColorTwistOperator::saturation, "Factor of the saturation; 0 gives grey.")
      .param("contrast", &ColorTwistOperator::contrast,
             "Factor of the distance from the centre: 128 for integers, 0.5 for floats.")
      .param("brightness", &ColorTwistOperator::brightness, "Factor of all channels, after contrast.")
      .group(add_twist_output<ColorTwistOperator>)
      .outputs("The same shape. Hue and saturation are linear approximations in the YIQ space.")
      .matches("DALI color_twist")
      .build();
}

}  // namespace forebay::operators
