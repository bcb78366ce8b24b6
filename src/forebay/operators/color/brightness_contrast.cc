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
    kernels::BrightnessContrast adjustment;
    FOREBAY_ASSIGN_OR_RETURN(adjustment.brightness, brightness.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(adjustment.brightness_shift, brightness_shift.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(adjustment.contrast, contrast.get(sample));
    if (contrast_center.is_given()) {
      FOREBAY_ASSIGN_OR_RETURN(adjustment.contrast_center, contrast_center.get(sample));
    }
    return adjust_brightness_contrast(sample, adjustment, dtype);
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
