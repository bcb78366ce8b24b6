// stack: joins tensors along a new axis.
#include "forebay/kernels/generic/rearrange.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"
#include "forebay/operators/shape/join.h"

namespace forebay::operators {
namespace {

struct Stack {
  int64_t axis = 0;
  std::optional<std::string> axis_name;

  Status prepare(const Arguments&) {
    if (axis_name && axis_name->size() != 1) {
      return invalid_argument("axis_name must be one letter, not '{}'", *axis_name);
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& first = sample.input(0);
    FOREBAY_RETURN_IF_ERROR(check_alike(sample));
    for (int i = 1; i < sample.num_inputs(); ++i) {
      if (sample.input(i).shape() != first.shape()) {
        return invalid_argument("inputs of {} and {} cannot be stacked; their shapes must be equal",
                                first.spec().to_string(), sample.input(i).spec().to_string());
      }
    }
    FOREBAY_ASSIGN_OR_RETURN(const int at, new_axis(first.shape().rank()));
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec spec, output_spec(sample, at));
    if (sample.num_inputs() == 1) {
      FOREBAY_ASSIGN_OR_RETURN(Tensor same, first.reinterpreted(spec));
      sample.forward(0, std::move(same));
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    return kernels::stack(input_views(sample), at, out);
  }

 private:
  Result<int> new_axis(int rank) const {
    if (rank == tensor::kMaxRank) {
      return invalid_argument("the inputs have {} axes already, the most there can be", rank);
    }
    return resolved_axis(axis, rank + 1);
  }

  Result<TensorSpec> output_spec(const Sample& sample, int at) const {
    const Shape& in = sample.input(0).shape();
    TensorSpec spec{{}, sample.input(0).dtype(), {}};
    for (int a = 0; a <= in.rank(); ++a) {
      spec.shape.push_back(a == at ? sample.num_inputs() : in[a < at ? a : a - 1]);
    }
    if (axis_name) {
      const Layout layout = first_layout(sample);
      if (layout.size() != in.rank()) {
        return invalid_argument("axis_name is given, but the inputs have no layout to add it to");
      }
      spec.layout = layout_with(layout, at, (*axis_name)[0]);
    }
    return spec;
  }
};

}  // namespace

OperatorSpec stack() {
  return describe<Stack>("stack", "Joins tensors along a new axis.")
      .variadic_inputs("data", "Tensors of one type and shape.", 1)
      .param("axis", &Stack::axis, "Where the new axis stands in the output; from the end when negative.")
      .param("axis_name", &Stack::axis_name,
             "The new axis's letter in the layout; without it the output has none.")
      .outputs("The stacked tensor.")
      .matches("DALI stack")
      .build();
}

}  // namespace forebay::operators
