// cast_like: the element type of another tensor.
#include "forebay/operators/arithmetic/cast_to.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct CastLike {
  Status run(Sample& sample) const { return cast_to(sample, sample.input(1).dtype()); }
};

}  // namespace

OperatorSpec cast_like() {
  return describe<CastLike>("cast_like", "Converts to the element type of another tensor.")
      .input("data", "Any tensor.")
      .input("like", "The tensor whose type is taken; its content is not read.")
      .outputs("`data` in that type, converted as `cast` does.")
      .matches("DALI cast_like")
      .build();
}

}  // namespace forebay::operators
