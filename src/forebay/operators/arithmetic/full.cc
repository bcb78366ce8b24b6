// full: a tensor filled with a value.
#include "forebay/operators/arithmetic/filled.h"

namespace forebay::operators {
namespace {

struct Full : FilledShape {
  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec made, spec(sample, sample.input(0).dtype()));
    return fill_with(sample, made, sample.input(0));
  }
};

}  // namespace

OperatorSpec full() {
  return describe<Full>("full", "Gives a tensor filled with a value.")
      .input("fill_value", "The value; its extents are those of the output or 1, counted from the last.")
      .group(add_filled_shape<Full>)
      .outputs("The tensor, of the value's type.")
      .matches("DALI full")
      .build();
}

}  // namespace forebay::operators
