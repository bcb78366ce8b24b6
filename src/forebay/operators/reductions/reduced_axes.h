// Shared by the reductions: the axes they go over, and the shape that is left.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "forebay/operators/describe.h"

namespace forebay::operators {

/// One input's reduction.
struct ReductionOf {
  std::vector<int> axes;
  Shape kept;            // the input's shape with extent 1 on `axes`
  Shape out;             // the same, or without these axes
  Layout layout;         // of `out`
  int64_t elements = 1;  // that are reduced to one

  /// `view` of a tensor of shape `out` with the axes kept.
  static MutableTensorView with_axes(const MutableTensorView& view, const Shape& kept) {
    return {view.data, {kept, view.dtype(), {}}};
  }
};

struct ReducedAxes {
  std::optional<std::vector<int64_t>> axes;
  std::optional<LayoutName> axis_names;
  bool keep_dims = false;

  Status prepare(const Arguments&) const;

  /// Resolves the axes for one input: all without `axes` and `axis_names`, none for an empty list.
  Result<ReductionOf> of(const Tensor& in) const;

  /// Makes output 0, of `dtype`, out of one sum for each of its elements.
  static Status put(Sample& sample, const ReductionOf& reduction, DType dtype, std::span<const double> sums,
                    const std::function<double(double)>& result_of);

  /// Output 0 is result_of(sum of the squared distances from `centres`, one or as many as there are outputs).
  Status reduce_squares(Sample& sample, DType dtype, std::span<const float> centres, int64_t ddof,
                        double (*result_of)(double)) const;
};

template <class T>
void add_reduced_axes(Description<T>& description) {
  description.input("data", "Any tensor.")
      .param("axes", &T::axes,
             "The axes to reduce; negative ones count from the end. All of them without it.")
      .param("axis_names", &T::axis_names, "The same by their letters in the layout.")
      .param("keep_dims", &T::keep_dims, "Keeps the reduced axes, with extent 1.");
}

/// As add_reduced_axes(), with the mean as input 1.
template <class T>
void add_deviation(Description<T>& description) {
  description.group(add_reduced_axes<T>)
      .input("mean", "The mean: one number, or one for each element of the output.")
      .param("ddof", &T::ddof, "Subtracted from the number of elements that are averaged.");
}

}  // namespace forebay::operators
