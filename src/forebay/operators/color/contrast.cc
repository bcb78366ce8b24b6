// contrast: changes the contrast of images.
#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

struct Contrast : ColorOutput {
  Arg<float> contrast = 1.0f;
  Arg<float> contrast_center;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, color_layout(sample));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats contrasts, FrameFloats::of(sample, contrast));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats centers, FrameFloats::of(sample, contrast_center));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout, contrasts, centers));
    return adjust_brightness_contrast(sample, frames, dtype, [&](int64_t frame) {
      kernels::BrightnessContrast adjustment;
      adjustment.contrast = contrasts.number(frame);
      if (contrast_center.is_given()) {
        adjustment.contrast_center = centers.number(frame);
      }
      return adjustment;
    });
  }
};

}  // namespace

OperatorSpec contrast() {
  return describe<Contrast>("contrast", "Changes the contrast of images.")
      .input("data", "Images, volumes or sequences with interleaved channels.")
      .param("contrast", &Contrast::contrast, "Factor of the distance from the centre.")
      .param("contrast_center", &Contrast::contrast_center,
             "The value that contrast leaves as it is; half of the range of the input's type without it.")
      .group(add_color_output<Contrast>)
      .outputs("The same shape.")
      .matches("DALI contrast")
      .build();
}

}  // namespace forebay::operators
