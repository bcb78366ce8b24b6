// reshape: other extents for the same elements.
#include "forebay/operators/shape/new_shape.h"

namespace forebay::operators {
namespace {

struct Reshape : NewShape {
  Status prepare(const Arguments& arguments) { return check(arguments, true); }
  Status run(Sample& sample) const { return apply(sample, DType::kNone); }
};

}  // namespace

OperatorSpec reshape() {
  return describe<Reshape>("reshape", "Gives a tensor other extents; the elements stay in their order.")
      .input("data", "Any tensor.")
      .optional_input("shape_input", "The new extents, as integers; instead of `shape`.")
      .group(add_new_shape<Reshape>)
      .outputs("The input's memory under the new shape and layout.")
      .matches("DALI reshape")
      .build();
}

}  // namespace forebay::operators
