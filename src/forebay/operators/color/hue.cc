// hue: rotates the hue of colours.
#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

struct Hue : TwistOutput {
  Arg<float> hue = 0.0f;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, color_layout(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats hues, FrameFloats::of(sample, hue));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, hues));
    return twist_colors(sample, frames, dtype, [&](int64_t frame) {
      kernels::ColorTwist twist;
      twist.hue = hues.number(frame);
      return twist;
    });
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
