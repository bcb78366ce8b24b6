#include "forebay/operators/decoders.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

Status DecodersImage::run(Sample& sample) const {
  FOREBAY_ASSIGN_OR_RETURN(const DecodeJob whole, job(sample));
  return run_decode(sample, whole);
}

OperatorSpec decoders_image() {
  const char* hint = "Accepted for compatibility; has no effect on the CPU.";
  return describe<DecodersImage>("decoders.image", "Decodes JPEG and PNG images.")
      .input("input", "The bytes of an encoded image, uint8 of rank 1.")
      .group([](auto& description) { add_decode_arguments(description); })
      .param("cache_size", &DecodersImage::cache_size, hint)
      .param("cache_threshold", &DecodersImage::cache_threshold, hint)
      .param("cache_type", &DecodersImage::cache_type, hint)
      .param("cache_debug", &DecodersImage::cache_debug, hint)
      .param("cache_batch_copy", &DecodersImage::cache_batch_copy, hint)
      .outputs("The image, HWC.")
      .matches("DALI fn.decoders.image")
      .build();
}

}  // namespace forebay::operators
