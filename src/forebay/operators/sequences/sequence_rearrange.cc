// sequence_rearrange: frames in another order.
#include "forebay/operators/describe.h"
#include "forebay/operators/sequences/frames_of.h"

namespace forebay::operators {
namespace {

struct SequenceRearrange {
  Arg<std::vector<int64_t>> new_order;

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec frame, frame_of_sequence(in));
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers order, new_order.values(sample));
    if (order.empty()) {
      return invalid_argument("new_order is empty, and a sequence has at least one frame");
    }
    TensorSpec spec = in.spec();
    spec.shape[0] = static_cast<int64_t>(order.size());
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    auto* to = static_cast<std::byte*>(out.data);
    for (const int64_t from : order) {
      FOREBAY_RETURN_IF_ERROR(annotate(copy_frame(in, from, to), "new_order"));
      to += frame.size_bytes();
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec sequence_rearrange() {
  return describe<SequenceRearrange>("sequence_rearrange", "Gives the frames of a sequence in another order.")
      .input("sequence", "A sequence: the first axis is F, or has no name.")
      .param("new_order", &SequenceRearrange::new_order,
             "For each frame of the output, the frame of the input. Frames may be repeated or left out.")
      .required()
      .outputs("The frames in that order.")
      .matches("DALI sequence_rearrange")
      .build();
}

}  // namespace forebay::operators
