// contrast: changes the contrast of images.
#include "forebay/operators/color/color_adjust.h"

namespace forebay::operators {
namespace {

struct Contrast : ColorOutput {
  Arg<float> contrast = 1.0f;
  Arg<float> contrast_center;

  Status run(Sample& sample) const {
    kernels::BrightnessContrast adjustment;
    FOREBAY_ASSIGN_OR_RETURN(adjustment.contrast, contrast.get(sample));
    if (contrast_center.is_given()) {
      FOREBAY_ASSIGN_OR_RETURN(adjustment.contrast_center, contrast_center.get(sample));
    }
    return adjust_brightness_contrast(sample, adjustment, dtype);
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
