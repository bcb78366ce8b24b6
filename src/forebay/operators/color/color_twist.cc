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
    kernels::ColorTwist twist;
    FOREBAY_ASSIGN_OR_RETURN(twist.hue, hue.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(twist.saturation, saturation.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(twist.contrast, contrast.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(twist.brightness, brightness.get(sample));
    return twist_colors(sample, twist, dtype);
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
