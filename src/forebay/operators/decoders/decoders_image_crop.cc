#include "forebay/operators/decoders/decoders.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

Result<DecodeJob> with_window(DecodeJob job, const TensorWindow& window) {
  const codec::ImageSize size = full_size(job);
  const Shape whole{size.height, size.width, window.shape[2]};
  if (!lies_inside(window, whole) || window.shape[0] < 1 || window.shape[1] < 1) {
    return out_of_range("the window of {}x{} at ({}, {}) is empty or leaves the image of {}x{}",
                        window.shape[0], window.shape[1], window.anchor[0], window.anchor[1], size.height,
                        size.width);
  }
  job.options.window = codec::Window{window.anchor[0], window.anchor[1], window.shape[0], window.shape[1]};
  return job;
}

Status DecodersImageCrop::prepare(const Arguments&) const {
  FOREBAY_RETURN_IF_ERROR(DecodeArguments::check());
  return CropArguments::check();
}

OperatorSpec decoders_image_crop() {
  return describe<DecodersImageCrop>("decoders.image_crop",
                                     "Decodes a window, given by size and place, of images.")
      .input("input", "The bytes of an encoded image, uint8 of rank 1.")
      .group([](auto& description) { add_decode_arguments(description); })
      .group([](auto& description) { add_crop_arguments(description); })
      .outputs("The window, HWC; the same pixels as those of the whole image.")
      .matches("DALI fn.decoders.image_crop")
      .build();
}

}  // namespace forebay::operators
