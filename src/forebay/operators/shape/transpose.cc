// transpose: reorders axes.
#include <algorithm>
#include <numeric>

#include "forebay/kernels/generic/rearrange.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct Transpose {
  std::optional<std::vector<int64_t>> perm;
  bool transpose_layout = true;
  LayoutName output_layout;

  Status prepare(const Arguments&) {
    if (!perm) {
      return ok_status();
    }
    std::vector<int64_t> sorted = *perm;
    std::ranges::sort(sorted);
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] != static_cast<int64_t>(i)) {
        return invalid_argument("perm must name each axis once, by the numbers from 0");
      }
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> order, order_for(in));
    FOREBAY_ASSIGN_OR_RETURN(const TensorSpec spec, output_spec(in, order));
    if (keeps_order_in_memory(in.shape(), order)) {
      FOREBAY_ASSIGN_OR_RETURN(Tensor same, in.reinterpreted(spec));
      sample.forward(0, std::move(same));
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
    return kernels::transpose(in.view(), order, out);
  }

 private:
  Result<std::vector<int>> order_for(const Tensor& in) const {
    const int rank = in.shape().rank();
    std::vector<int> order(static_cast<size_t>(rank));
    if (!perm) {
      std::iota(order.rbegin(), order.rend(), 0);
      return order;
    }
    if (static_cast<int>(perm->size()) != rank) {
      return invalid_argument("perm has {} axes and the input {}", perm->size(), in.spec().to_string());
    }
    std::ranges::copy(*perm, order.begin());
    return order;
  }

  Result<TensorSpec> output_spec(const Tensor& in, std::span<const int> order) const {
    TensorSpec spec{{}, in.dtype(), {}};
    std::string names;
    for (const int axis : order) {
      spec.shape.push_back(in.shape()[axis]);
      if (!in.layout().empty()) {
        names += in.layout()[axis];
      }
    }
    if (output_layout.names.empty()) {
      spec.layout = transpose_layout ? Layout(names) : in.layout();
    } else if (static_cast<int>(output_layout.names.size()) == spec.shape.rank()) {
      spec.layout = Layout(output_layout.names);
    } else {
      return invalid_argument("output_layout '{}' does not fit an output of shape {}", output_layout.names,
                              spec.shape.to_string());
    }
    return spec;
  }

  /// Whether only axes of extent 1 move.
  static bool keeps_order_in_memory(const Shape& shape, std::span<const int> order) {
    int last = -1;
    for (const int axis : order) {
      if (shape[axis] == 1) {
        continue;
      }
      if (axis < last) {
        return false;
      }
      last = axis;
    }
    return true;
  }
};

}  // namespace

OperatorSpec transpose() {
  return describe<Transpose>("transpose", "Puts the axes of a tensor in another order.")
      .input("data", "Any tensor.")
      .param("perm", &Transpose::perm,
             "The input's axis for each axis of the output; the reverse order without it.")
      .param("transpose_layout", &Transpose::transpose_layout,
             "Whether the letters of the layout move with their axes.")
      .param("output_layout", &Transpose::output_layout, "The layout of the output, whatever the input's.")
      .outputs("The transposed tensor; the input's memory when no element changes its place.")
      .matches("DALI transpose")
      .build();
}

}  // namespace forebay::operators
