// saturation: changes the saturation of colours.
#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

struct Saturation : TwistOutput {
  Arg<float> saturation = 1.0f;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, color_layout(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats saturations, FrameFloats::of(sample, saturation));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, saturations));
    return twist_colors(sample, frames, dtype, [&](int64_t frame) {
      kernels::ColorTwist twist;
      twist.saturation = saturations.number(frame);
      return twist;
    });
  }
};

}  // namespace

OperatorSpec saturation() {
  return describe<Saturation>("saturation", "Changes the saturation of colours.")
      .input("data", "Images, volumes or sequences with interleaved red, green and blue.")
      .param("saturation", &Saturation::saturation, "Factor of the saturation; 0 gives grey.")
      .group(add_twist_output<Saturation>)
      .outputs("The same shape. Hue and saturation are linear approximations in the YIQ space.")
      .matches("DALI saturation")
      .build();
}

}  // namespace forebay::operators
