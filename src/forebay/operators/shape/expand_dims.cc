// expand_dims: new axes of extent 1.
#include <algorithm>

#include "forebay/operators/describe.h"
#include "forebay/operators/layout/axes.h"

namespace forebay::operators {
namespace {

struct ExpandDims {
  std::vector<int64_t> axes;
  LayoutName new_axis_names;

  Status prepare(const Arguments&) {
    if (!new_axis_names.names.empty() && new_axis_names.names.size() != axes.size()) {
      return invalid_argument("new_axis_names '{}' has {} letters for {} new axes", new_axis_names.names,
                              new_axis_names.names.size(), axes.size());
    }
    for (size_t i = 0; i < axes.size(); ++i) {
      added_.push_back({axes[i], new_axis_names.names.empty() ? '?' : new_axis_names.names[i]});
    }
    std::ranges::sort(added_, {}, &Added::axis);
    const auto twice = std::ranges::adjacent_find(added_, {}, &Added::axis);
    if (twice != added_.end()) {
      return invalid_argument("axis {} is named twice", twice->axis);
    }
    if (!added_.empty() && added_[0].axis < 0) {
      return invalid_argument("axis {} is negative; new axes are counted from the front of the output",
                              added_[0].axis);
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    const int rank = in.shape().rank() + static_cast<int>(added_.size());
    if (rank > tensor::kMaxRank || (!added_.empty() && added_.back().axis >= rank)) {
      return invalid_argument("{} new axes, the last at {}, cannot be added to {}", added_.size(),
                              added_.empty() ? 0 : added_.back().axis, in.spec().to_string());
    }
    if (!new_axis_names.names.empty() && in.layout().empty() && in.shape().rank() > 0) {
      return invalid_argument("new_axis_names is given, but the input has no layout to add them to");
    }
    TensorSpec spec{{}, in.dtype(), {}};
    std::string names;
    auto next = added_.begin();
    for (int axis = 0, from = 0; axis < rank; ++axis) {
      if (next != added_.end() && next->axis == axis) {
        spec.shape.push_back(1);
        names += (next++)->name;
      } else {
        names += in.layout().empty() ? '?' : in.layout()[from];
        spec.shape.push_back(in.shape()[from++]);
      }
    }
    spec.layout = new_axis_names.names.empty() ? Layout() : Layout(names);
    if (added_.empty()) {
      spec.layout = in.layout();
    }
    FOREBAY_ASSIGN_OR_RETURN(Tensor seen, in.reinterpreted(spec));
    sample.forward(0, std::move(seen));
    return ok_status();
  }

 private:
  struct Added {
    int64_t axis;
    char name;
  };
  std::vector<Added> added_;  // ascending
};

}  // namespace

OperatorSpec expand_dims() {
  return describe<ExpandDims>("expand_dims", "Adds axes of extent 1.")
      .input("data", "Any tensor.")
      .param("axes", &ExpandDims::axes, "Where the new axes stand in the output.")
      .required()
      .param("new_axis_names", &ExpandDims::new_axis_names,
             "A letter for each of `axes`, added to the layout; without it the output has no layout.")
      .outputs("The input's memory with those axes.")
      .matches("DALI expand_dims")
      .build();
}

}  // namespace forebay::operators
