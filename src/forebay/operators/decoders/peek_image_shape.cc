#include <string>

#include "forebay/kernels/generic/convert.h"
#include "forebay/operators/decoders/decode.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

struct PeekImageShape {
  DType dtype = DType::kInt64;
  ImageType image_type = ImageType::kRGB;
  std::string palette = "color";
  bool adjust_orientation = true;
  Arg<int64_t> page = int64_t{0};
  int64_t reduce = 1;

  Status prepare(const Arguments&) const {
    if (!tensor::is_integer(dtype) && !tensor::is_floating(dtype)) {
      return invalid_argument("a shape cannot be given as {}", tensor::name_of(dtype));
    }
    FOREBAY_RETURN_IF_ERROR(check_reduction(reduce));
    return check_page(page);
  }

  Status run(Sample& sample) const {
    DecodeArguments arguments;
    arguments.output_type = image_type;
    arguments.palette = palette;
    arguments.adjust_orientation = adjust_orientation;
    arguments.page = page;
    arguments.reduce = reduce;
    FOREBAY_ASSIGN_OR_RETURN(const DecodeJob job, arguments.whole_image(sample));
    FOREBAY_RETURN_IF_ERROR(codec::check_decode_options(job.header, job.options));
    const codec::ImageSize size = full_size(job);
    const int64_t shape[] = {size.height, size.width, codec::decoded_channels(job.header, job.options)};
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, {Shape{3}, dtype, {}}));
    tensor::visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (int i = 0; i < 3; ++i) {
        out.as<T>()[i] = kernels::convert_saturated<T>(shape[i]);
      }
    });
    return ok_status();
  }
};

OperatorSpec peek_image_shape() {
  return describe<PeekImageShape>("peek_image_shape",
                                  "The shape an image will have when decoded, from its header.")
      .input("input", "The bytes of an encoded image, uint8 of rank 1.")
      .param("dtype", &PeekImageShape::dtype, "Element type of the shape.")
      .param("image_type", &PeekImageShape::image_type, "Colour space the image would be decoded to.")
      .param("palette", &PeekImageShape::palette, kPaletteDoc)
      .choices({"color", "index"})
      .param("adjust_orientation", &PeekImageShape::adjust_orientation, "Of the turned image, as EXIF says.")
      .param("page", &PeekImageShape::page, kPageDoc)
      .param("reduce", &PeekImageShape::reduce, kReduceDoc)
      .outputs("Height, width, channels.")
      .matches("DALI fn.peek_image_shape")
      .build();
}

}  // namespace forebay::operators
