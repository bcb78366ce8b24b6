// full_like: a tensor filled with a value in the shape of another.
#include "forebay/operators/arithmetic/filled.h"

namespace forebay::operators {
namespace {

struct FullLike {
  Status run(Sample& sample) const { return fill_with(sample, sample.input(0).spec(), sample.input(1)); }
};

}  // namespace

OperatorSpec full_like() {
  return describe<FullLike>("full_like", "Gives a tensor filled with a value in the shape of another.")
      .input("data_like", "The tensor whose shape, type and layout are taken; its content is not read.")
      .input("fill_value", "The value; its extents are those of the output or 1, counted from the last.")
      .outputs("The tensor; values are rounded and saturated to its type.")
      .matches("DALI full_like")
      .build();
}

}  // namespace forebay::operators
