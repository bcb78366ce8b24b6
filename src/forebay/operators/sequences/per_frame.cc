// per_frame: names the first axis F, so that an argument changes from frame to frame.
#include <string>

#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct PerFrame {
  bool replace = false;

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    if (in.shape().rank() == 0) {
      return invalid_argument("a single number has no axis for frames");
    }
    std::string names = in.layout().to_string();
    if (!names.empty() && names[0] != 'F' && !replace) {
      return invalid_argument("the layout '{}' does not begin with F; replace=True names its first axis so",
                              names);
    }
    names.resize(static_cast<size_t>(in.shape().rank()), '*');
    names[0] = 'F';
    FOREBAY_ASSIGN_OR_RETURN(Tensor seen, in.reinterpreted({in.shape(), in.dtype(), Layout(names)}));
    sample.forward(0, std::move(seen));
    return ok_status();
  }
};

}  // namespace

OperatorSpec per_frame() {
  return describe<PerFrame>("per_frame", "Marks a tensor as having one part for each frame.")
      .input("data", "Any tensor of at least one axis.")
      .param("replace", &PerFrame::replace, "Names the first axis F also where it has another name.")
      .outputs("The input's memory; the first axis is F, and others without a name are `*`.")
      .matches("DALI per_frame")
      .build();
}

}  // namespace forebay::operators
