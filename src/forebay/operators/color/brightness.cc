// brightness: changes the brightness of images.
#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

struct Brightness : ColorOutput {
  Arg<float> brightness = 1.0f;
  Arg<float> brightness_shift = 0.0f;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, color_layout(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats gains, FrameFloats::of(sample, brightness));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats shifts, FrameFloats::of(sample, brightness_shift));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, gains, shifts));
    return adjust_brightness_contrast(sample, frames, dtype, [&](int64_t frame) {
      kernels::BrightnessContrast adjustment;
      adjustment.brightness = gains.number(frame);
      adjustment.brightness_shift = shifts.number(frame);
      return adjustment;
    });
  }
};

}  // namespace

OperatorSpec brightness() {
  return describe<Brightness>("brightness", "Changes the brightness of images.")
      .input("data", "Images, volumes or sequences with interleaved channels.")
      .param("brightness", &Brightness::brightness, "Factor, after contrast.")
      .param("brightness_shift", &Brightness::brightness_shift,
             "Added, as a part of the range of the output's type; 1.0 is white.")
      .group(add_color_output<Brightness>)
      .outputs("The same shape.")
      .matches("DALI brightness")
      .build();
}

}  // namespace forebay::operators
