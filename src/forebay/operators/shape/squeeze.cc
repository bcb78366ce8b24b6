// squeeze: removes axes of extent 1.
#include <algorithm>

#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {
namespace {

struct Squeeze {
  Arg<std::vector<int64_t>> axes;
  std::optional<LayoutName> axis_names;

  Status prepare(const Arguments&) {
    if (axes.is_given() == axis_names.has_value()) {
      return invalid_argument("give the axes to remove either as `axes` or as `axis_names`");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int> removed, removed_axes(sample));
    TensorSpec spec{{}, in.dtype(), layout_without(in.layout(), removed)};
    int refused = -1;
    for (int axis = 0; axis < in.shape().rank(); ++axis) {
      if (std::ranges::find(removed, axis) == removed.end()) {
        spec.shape.push_back(in.shape()[axis]);
      } else if (in.shape()[axis] != 1) {
        refused = axis;
      }
    }
    const bool stays_empty = in.volume() == 0 && spec.shape.volume() == 0;
    if (refused >= 0 && !stays_empty) {
      return invalid_argument("axis {} of {} has an extent of {}; only axes of extent 1 can be removed",
                              refused, in.spec().to_string(), in.shape()[refused]);
    }
    FOREBAY_ASSIGN_OR_RETURN(Tensor seen, in.reinterpreted(spec));
    sample.forward(0, std::move(seen));
    return ok_status();
  }

 private:
  Result<std::vector<int>> removed_axes(const Sample& sample) const {
    const Tensor& in = sample.input(0);
    if (axis_names) {
      return named_axes(axis_names->names, in.layout());
    }
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentIntegers given, axes.values(sample));
    return resolved_axes(given, in.shape().rank());
  }
};

}  // namespace

OperatorSpec squeeze() {
  return describe<Squeeze>("squeeze", "Takes out axes of extent 1.")
      .input("data", "Any tensor.")
      .param("axes", &Squeeze::axes,
             "The axes to take out; negative ones count from the end. Of a tensor that stays empty they may "
             "have any extent.")
      .param("axis_names", &Squeeze::axis_names, "The same by their letters in the layout.")
      .outputs("The input's memory without those axes.")
      .matches("DALI squeeze; there, negative axes are ignored")
      .build();
}

}  // namespace forebay::operators
