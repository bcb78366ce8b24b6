// color_space_conversion: RGB, BGR, grey and YCbCr into each other.
#include "forebay/kernels/image/color.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {
namespace {

Result<kernels::ColorSpace> space_of(ImageType type, const char* argument) {
  switch (type) {
    case ImageType::kRGB:
      return kernels::ColorSpace::kRgb;
    case ImageType::kBGR:
      return kernels::ColorSpace::kBgr;
    case ImageType::kGRAY:
      return kernels::ColorSpace::kGray;
    case ImageType::kYCbCr:
      return kernels::ColorSpace::kYCbCr;
    default:
      return invalid_argument("{} must be RGB, BGR, GRAY or YCbCr", argument);
  }
}

struct ColorSpaceConversion {
  ImageType image_type = ImageType::kRGB;
  ImageType output_type = ImageType::kRGB;

  Status prepare(const Arguments&) {
    FOREBAY_ASSIGN_OR_RETURN(from_, space_of(image_type, "image_type"));
    FOREBAY_ASSIGN_OR_RETURN(to_, space_of(output_type, "output_type"));
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(in, {"HWC", "FHWC", "DHWC", "FDHWC"}));
    if (in.shape().back() != kernels::channels_of(from_)) {
      return invalid_argument("the input is {}; image_type says that it has {} channels",
                              in.spec().to_string(), kernels::channels_of(from_));
    }
    TensorSpec spec{in.shape(), in.dtype(), layout};
    if (from_ == to_) {
      FOREBAY_ASSIGN_OR_RETURN(Tensor same, in.reinterpreted(spec));
      sample.forward(0, std::move(same));
      return ok_status();
    }
    spec.shape[spec.shape.rank() - 1] = kernels::channels_of(to_);
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    return kernels::convert_color_space(in.view(), from_, to_, out);
  }

 private:
  kernels::ColorSpace from_ = kernels::ColorSpace::kRgb;
  kernels::ColorSpace to_ = kernels::ColorSpace::kRgb;
};

}  // namespace

OperatorSpec color_space_conversion() {
  return describe<ColorSpaceConversion>("color_space_conversion", "Converts images to another colour space.")
      .input("data", "Images, volumes or sequences with interleaved channels.")
      .param("image_type", &ColorSpaceConversion::image_type, "The colour space of the input.")
      .required()
      .param("output_type", &ColorSpaceConversion::output_type, "The colour space of the output.")
      .required()
      .outputs(
          "The image in the other space; the last extent is its number of channels. YCbCr is BT.601 with Y "
          "from 16 "
          "to 235.")
      .matches("DALI color_space_conversion")
      .build();
}

}  // namespace forebay::operators
