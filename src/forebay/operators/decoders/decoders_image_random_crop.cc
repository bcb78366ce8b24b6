#include "forebay/operators/decoders/decoders.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

Status DecodersImageRandomCrop::prepare(const Arguments&) const {
  FOREBAY_RETURN_IF_ERROR(DecodeArguments::check());
  return RandomCropArguments::check();
}

Result<DecodeJob> DecodersImageRandomCrop::job(const Sample& sample) const {
  FOREBAY_ASSIGN_OR_RETURN(DecodeJob part, whole_image(sample));
  const codec::ImageSize size = full_size(part);
  const CropWindow window = draw(sample.random(), size.height, size.width);
  part.options.window = codec::Window{window.y, window.x, window.height, window.width};
  return part;
}

Status DecodersImageRandomCrop::run(Sample& sample) const {
  FOREBAY_ASSIGN_OR_RETURN(const DecodeJob part, job(sample));
  return run_decode(sample, part);
}

OperatorSpec decoders_image_random_crop() {
  return describe<DecodersImageRandomCrop>("decoders.image_random_crop",
                                           "Decodes a window of random area and aspect ratio of images.")
      .input("input", "The bytes of an encoded image, uint8 of rank 1.")
      .group([](auto& description) { add_decode_arguments(description); })
      .group([](auto& description) { add_random_crop_arguments(description); })
      .outputs("The window, HWC; the same pixels as those of the whole image.")
      .matches("DALI fn.decoders.image_random_crop")
      .random()
      .build();
}

}  // namespace forebay::operators
