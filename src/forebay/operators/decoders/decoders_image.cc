#include "forebay/operators/decoders/decoders.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

Status DecodersImage::run(Sample& sample) const {
  FOREBAY_ASSIGN_OR_RETURN(const DecodeJob whole, job(sample));
  return run_decode(sample, whole);
}

OperatorSpec decoders_image() {
  return describe<DecodersImage>(
             "decoders.image",
             "Decodes images: JPEG, PNG, TIFF, WebP, BMP, PNM and PAM, JPEG 2000, AVIF, JPEG XL.")
      .input("input", "The bytes of an encoded image, uint8 of rank 1.")
      .group([](auto& description) { add_decode_arguments(description); })
      .ignored("cache_size", int64_t{0})
      .ignored("cache_threshold", int64_t{0})
      .ignored("cache_type", std::string())
      .ignored("cache_debug", false)
      .ignored("cache_batch_copy", true)
      .outputs("The image, HWC.")
      .matches("DALI fn.decoders.image")
      .build();
}

}  // namespace forebay::operators
