// copy: returns the same tensor.
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct Copy {
  Status run(Sample& sample) const {
    sample.forward(0, sample.input(0));
    return ok_status();
  }
};

}  // namespace

OperatorSpec copy() {
  return describe<Copy>("copy", "Gives its input again.")
      .input("data", "Any tensor.")
      .outputs(
          "Equal to the input. Tensors of a pipeline never change, so the memory is shared and nothing is "
          "copied.")
      .matches("DALI copy")
      .build();
}

}  // namespace forebay::operators
