// hue: rotates the hue of colours.
#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

struct Hue : TwistOutput {
  Arg<float> hue = 0.0f;

  Status run(Sample& sample) const {
    kernels::ColorTwist twist;
    FOREBAY_ASSIGN_OR_RETURN(twist.hue, hue.get(sample));
    return twist_colors(sample, twist, dtype);
  }
};

}  // namespace

OperatorSpec hue() {
  return describe<Hue>("hue", "Turns the hue of colours.")
      .input("data", "Images, volumes or sequences with interleaved red, green and blue.")
      .param("hue", &Hue::hue, "Turns the hue, in degrees.")
      .group(add_twist_output<Hue>)
      .outputs("The same shape. Hue and saturation are linear approximations in the YIQ space.")
      .matches("DALI hue")
      .build();
}

}  // namespace forebay::operators
