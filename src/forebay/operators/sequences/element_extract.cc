// element_extract: single frames of a sequence, an output each.
#include "forebay/operators/describe.h"
#include "forebay/operators/sequences/frames_of.h"

namespace forebay::operators {
namespace {

struct ElementExtract {
  std::vector<int64_t> element_map;

  int num_outputs() const { return static_cast<int>(element_map.size()); }

  Status prepare(const Arguments&) const {
    if (element_map.empty()) {
      return invalid_argument("element_map names no frame");
    }
    for (const int64_t frame : element_map) {
      if (frame < 0) {
        return invalid_argument("element_map names frame {}; the first is 0", frame);
      }
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec frame, frame_of_sequence(in));
    for (int output = 0; output < num_outputs(); ++output) {
      const int64_t from = element_map[static_cast<size_t>(output)];
      if (from >= in.shape()[0]) {
        return out_of_range("element_map names frame {} of a sequence of {}", from, in.shape()[0]);
      }
      sample.forward(
          output,
          Tensor(in.buffer(), in.offset_bytes() + static_cast<size_t>(from) * frame.size_bytes(), frame));
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec element_extract() {
  return describe<ElementExtract>("element_extract", "Gives single frames of a sequence, an output each.")
      .input("sequence", "A sequence: the first axis is F, or has no name.")
      .param("element_map", &ElementExtract::element_map, "The frame of each output.")
      .required()
      .outputs("The frames, in the sequence's memory.")
      .matches("DALI element_extract")
      .build();
}

}  // namespace forebay::operators
