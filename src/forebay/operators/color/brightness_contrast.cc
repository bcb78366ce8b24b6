// brightness_contrast: changes brightness and contrast of images.
#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

struct BrightnessContrast : ColorOutput {
  Arg<float> brightness = 1.0f;
  Arg<float> brightness_shift = 0.0f;
  Arg<float> contrast = 1.0f;
  Arg<float> contrast_center;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, color_layout(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats gains, FrameFloats::of(sample, brightness));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats shifts, FrameFloats::of(sample, brightness_shift));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats contrasts, FrameFloats::of(sample, contrast));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats centers, FrameFloats::of(sample, contrast_center));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames,
                             Frames::of(sample, layout, gains, shifts, contrasts, centers));
    return adjust_brightness_contrast(sample, frames, dtype, [&](int64_t frame) {
      kernels::BrightnessContrast adjustment;
      adjustment.brightness = gains.number(frame);
      adjustment.brightness_shift = shifts.number(frame);
      adjustment.contrast = contrasts.number(frame);
      if (contrast_center.is_given()) {
        adjustment.contrast_center = centers.number(frame);
      }
      return adjustment;
    });
  }
};

}  // namespace

OperatorSpec brightness_contrast() {
  return describe<BrightnessContrast>("brightness_contrast", "Changes brightness and contrast of images.")
      .input("data", "Images, volumes or sequences with interleaved channels.")
      .param("brightness", &BrightnessContrast::brightness, "Factor, after contrast.")
      .param("brightness_shift", &BrightnessContrast::brightness_shift,
             "Added, as a part of the range of the output's type; 1.0 is white.")
      .param("contrast", &BrightnessContrast::contrast, "Factor of the distance from the centre.")
      .param("contrast_center", &BrightnessContrast::contrast_center,
             "The value that contrast leaves as it is; half of the range of the input's type without it.")
      .group(add_color_output<BrightnessContrast>)
      .outputs("The same shape.")
      .matches("DALI brightness_contrast")
      .build();
}

}  // namespace forebay::operators
