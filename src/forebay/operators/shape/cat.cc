// cat: joins tensors along an existing axis.
#include "forebay/kernels/generic/rearrange.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"
#include "forebay/operators/shape/join.h"

namespace forebay::operators {
namespace {

struct Cat {
  int64_t axis = 0;
  std::optional<std::string> axis_name;

  Status prepare(const Arguments& arguments) { return check_join_axis(axis_name, arguments); }

  Status run(Sample& sample) const {
    const Layout layout = first_layout(sample);
    const Tensor& first = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_alike(sample));
    FOREBAY_ASSIGN_OR_RETURN(const int at, joined_axis(layout, first.shape().rank()));
    TensorSpec spec{first.shape(), first.dtype(), layout};
    for (int i = 1; i < sample.num_inputs(); ++i) {
      const Shape& shape = sample.input(i).shape();
      for (int a = 0; a < shape.rank(); ++a) {
        if (a != at && shape[a] != spec.shape[a]) {
          return invalid_argument("inputs of {} and {} cannot be joined along axis {}; the others must agree",
                                  first.spec().to_string(), sample.input(i).spec().to_string(), at);
        }
      }
      spec.shape[at] += shape[at];
    }
    if (sample.num_inputs() == 1) {
      sample.forward(0, first);
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    return kernels::concatenate(input_views(sample), at, out);
  }

 private:
  Result<int> joined_axis(const Layout& layout, int rank) const {
    if (!axis_name) {
      return resolved_axis(axis, rank);
    }
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> axes, named_axes(*axis_name, layout));
    return axes[0];
  }
};

}  // namespace

OperatorSpec cat() {
  return describe<Cat>("cat", "Joins tensors along an axis that they have.")
      .variadic_inputs("data", "Tensors of one type that differ at most in the extent of that axis.", 1)
      .param("axis", &Cat::axis, "The axis, from the end when negative.")
      .param("axis_name", &Cat::axis_name, "The axis by its letter in the layout. Not together with `axis`.")
      .outputs("The inputs behind each other, with the layout of the first that has one.")
      .matches("DALI cat")
      .build();
}

}  // namespace forebay::operators
