#include "forebay/operators/decoders.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

Status DecodersImageSlice::prepare(const Arguments& arguments) {
  FOREBAY_RETURN_IF_ERROR(DecodeArguments::check());
  return SliceArguments::prepare_slice(arguments);
}

Result<DecodeJob> DecodersImageSlice::job(const Sample& sample) const {
  FOREBAY_ASSIGN_OR_RETURN(DecodeJob whole, whole_image(sample));
  const codec::ImageSize size = full_size(whole);
  const int channels = codec::decoded_channels(whole.header, whole.options.output_type);
  FOREBAY_ASSIGN_OR_RETURN(const TensorWindow part,
                           window(sample, {size.height, size.width, channels}, "HWC"));
  return with_window(std::move(whole), part);
}

Status DecodersImageSlice::run(Sample& sample) const {
  FOREBAY_ASSIGN_OR_RETURN(const DecodeJob part, job(sample));
  return run_decode(sample, part);
}

OperatorSpec decoders_image_slice() {
  return describe<DecodersImageSlice>("decoders.image_slice",
                                      "Decodes a window, given by its edges, of images.")
      .input("data", "The bytes of an encoded image, uint8 of rank 1.")
      .group([](auto& description) { add_slice_inputs(description); })
      .group([](auto& description) { add_decode_arguments(description); })
      .group([](auto& description) { add_slice_arguments(description); })
      .outputs("The window, HWC; the same pixels as those of the whole image.")
      .matches("DALI fn.decoders.image_slice")
      .build();
}

}  // namespace forebay::operators
