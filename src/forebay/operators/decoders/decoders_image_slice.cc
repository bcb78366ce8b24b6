#include "forebay/operators/decoders/decoders.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

Status DecodersImageSlice::prepare(const Arguments& arguments) {
  FOREBAY_RETURN_IF_ERROR(DecodeArguments::check());
  return SliceArguments::prepare_slice(arguments);
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
