// reinterpret: the same bytes as another type and shape.
#include "forebay/operators/shape/new_shape.h"

namespace forebay::operators {
namespace {

struct Reinterpret : NewShape {
  std::optional<DType> dtype;

  Status prepare(const Arguments& arguments) { return check(arguments, !dtype); }
  Status run(Sample& sample) const { return apply(sample, dtype.value_or(DType::kNone)); }
};

}  // namespace

OperatorSpec reinterpret() {
  return describe<Reinterpret>("reinterpret", "Sees the bytes of a tensor as another type and shape.")
      .input("data", "Any tensor.")
      .optional_input("shape_input", "The new extents, as integers; instead of `shape`.")
      .param("dtype", &Reinterpret::dtype,
             "The type; without a shape, the innermost extent changes with its size.")
      .group(add_new_shape<Reinterpret>)
      .outputs("The input's memory under the new type, shape and layout.")
      .matches("DALI reinterpret")
      .build();
}

}  // namespace forebay::operators
