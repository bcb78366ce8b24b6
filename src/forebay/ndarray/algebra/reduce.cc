#include "forebay/ndarray/algebra/reduce.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "forebay/kernels/generic/strided.h"
#include "forebay/ndarray/algebra/broadcasting.h"
#include "forebay/ndarray/algebra/expression.h"
#include "forebay/ndarray/algebra/products_of_others.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {
namespace {

using kernels::ReductionPlan;
using kernels::ReductionShape;
using tensor::Shape;

/// Which axes are reduced.
using AxisSet = std::array<bool, tensor::kMaxRank>;

Result<AxisSet> axis_set(const Shape& shape, const ReduceOptions& options) {
  AxisSet chosen{};
  if (options.axes.empty()) {
    chosen.fill(true);
    return chosen;
  }
  for (const int axis : options.axes) {
    const int place = axis < 0 ? axis + shape.rank() : axis;
    if (place < 0 || place >= shape.rank()) {
      return invalid_argument("axis {} of an array of {} dimensions", axis, shape.rank());
    }
    if (std::exchange(chosen[static_cast<size_t>(place)], true)) {
      return invalid_argument("axis {} twice", axis);
    }
  }
  if (options.exclude) {
    for (bool& axis : chosen) {
      axis = !axis;
    }
  }
  return chosen;
}

/// The result's shape with extents of 1, and as returned.
Shape kept_shape(const Shape& shape, const AxisSet& reduced) {
  Shape kept = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    kept[axis] = reduced[static_cast<size_t>(axis)] ? 1 : shape[axis];
  }
  return kept;
}

Shape reduced_shape(const Shape& shape, const AxisSet& reduced, bool keep_axes) {
  if (keep_axes) {
    return kept_shape(shape, reduced);
  }
  Shape left;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!reduced[static_cast<size_t>(axis)]) {
      left.push_back(shape[axis]);
    }
  }
  return left.rank() == 0 ? Shape{1} : left;
}

/// How many elements become one.
int64_t reduced_length(const Shape& shape, const AxisSet& reduced) {
  int64_t length = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    length *= reduced[static_cast<size_t>(axis)] ? shape[axis] : 1;
  }
  return length;
}

bool is_search(Reduction reduction) {
  return reduction == Reduction::kArgMax || reduction == Reduction::kArgMin;
}

/// Whether the reduced axes are adjacent (ignoring extents of 1), or there are none.
bool is_one_run(const Shape& shape, const AxisSet& reduced, ReductionShape* run) {
  int state = 0;  // before, in, or behind the run
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) {
      continue;
    }
    const bool in_run = reduced[static_cast<size_t>(axis)];
    if (in_run && state == 2) {
      return false;
    }
    state = in_run ? 1 : (state == 0 ? 0 : 2);
    (state == 0 ? run->outer : state == 1 ? run->length : run->inner) *= shape[axis];
  }
  return true;
}

Status reduce_run(Reduction reduction, const ReductionShape& shape, const tensor::TensorView& in, void* out) {
  const ReductionPlan plan = kernels::plan_reduction(reduction, shape);
  std::vector<double> partials(static_cast<size_t>(plan.partial_results()));
  FOREBAY_RETURN_IF_ERROR(
      share(plan.units(), places_a_share(plan.unit_elements()), [&](int64_t first, int64_t last) {
        kernels::reduce_units(reduction, in.dtype(), plan, first, last, in.data, partials.data(), out);
      }));
  kernels::finish_reduction(reduction, in.dtype(), plan, partials.data(), out);
  return ok_status();
}

class Reduce final : public Operation {
 public:
  Reduce(Reduction reduction, AxisSet axes, bool keep_axes)
      : reduction_(reduction), axes_(axes), keep_axes_(keep_axes) {}

  std::string_view name() const override {
    constexpr std::string_view kNames[] = {
        "sum", "mean", "sum of squares", "norm",  "sum of magnitudes", "prod",
        "max", "min",  "argmax",         "argmin"};
    return kNames[static_cast<size_t>(reduction_)];
  }
  bool is_differentiable() const override { return !is_search(reduction_); }
  Keeps keeps(Places /*wanted*/) const override {
    const bool is_plain = reduction_ == Reduction::kSum || reduction_ == Reduction::kMean;
    const bool is_extreme = reduction_ == Reduction::kMax || reduction_ == Reduction::kMin;
    return {.inputs = !is_plain, .outputs = is_extreme || reduction_ == Reduction::kNorm};
  }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    const ArraySpec& in = inputs[0];
    const Shape out = reduced_shape(in.shape, axes_, keep_axes_);
    const bool needs_some = reduction_ >= Reduction::kMax;
    if (needs_some && in.volume() == 0 && out.volume() > 0) {
      return invalid_argument("the {} of an empty array is undefined", name());
    }
    if (in.dtype == tensor::DType::kBool) {
      return invalid_argument("bool cannot be reduced; convert it to a number with astype()");
    }
    if (is_search(reduction_)) {
      return ArraySpecs{{out, kernels::dtype_of_places(in.dtype, reduced_length(in.shape, axes_))}};
    }
    return ArraySpecs{{out, in.dtype}};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    if (operands.outputs[0].volume() == 0) {
      return ok_status();
    }
    ReductionShape run;
    if (is_one_run(in.shape(), axes_, &run)) {
      return reduce_run(reduction_, run, in, operands.outputs[0].data);
    }
    return run_transposed(in, operands.outputs[0]);
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Shape& shape = request.input_specs[0].shape;
    const Shape kept = kept_shape(shape, axes_);
    FOREBAY_ASSIGN_OR_RETURN(const Array narrow, reshape(request.output_gradients[0], kept));
    FOREBAY_ASSIGN_OR_RETURN(const Array spread, broadcast_to(narrow, shape));
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, gradient_of_values(request, spread, kept));
    return Arrays{std::move(gradient)};
  }

 private:
  std::vector<int> reduced_axes(int rank) const {
    std::vector<int> axes;
    for (int axis = 0; axis < rank; ++axis) {
      if (axes_[static_cast<size_t>(axis)]) {
        axes.push_back(axis);
      }
    }
    return axes;
  }

  Result<Array> gradient_of_values(const GradientRequest& request, const Expression& g,
                                   const Shape& kept) const {
    const Expression x = request.inputs[0];
    const auto length = static_cast<double>(request.input_specs[0].volume()) /
                        static_cast<double>(std::max<int64_t>(kept.volume(), 1));
    switch (reduction_) {
      case Reduction::kSum:
        return g.result();
      case Reduction::kMean:
        return (g * (1.0 / length)).result();
      case Reduction::kSumOfSquares:
        return (g * 2.0 * x).result();
      case Reduction::kSumOfMagnitudes:
        return (g * ((x > 0.0) - (x < 0.0))).result();
      case Reduction::kProduct:
        return (g * Expression(products_of_others(request.inputs[0], reduced_axes(kept.rank())))).result();
      default:
        break;
    }
    FOREBAY_ASSIGN_OR_RETURN(const Array result, reshape(request.outputs[0], kept));
    if (reduction_ == Reduction::kNorm) {
      return (g * (x / Expression(result))).result();
    }
    return (g * x.apply(ArithmeticOp::kEqual, Expression(result))).result();
  }

  /// For axes that are not adjacent: transposes first.
  Status run_transposed(const tensor::TensorView& in, const tensor::MutableTensorView& out) const {
    const Shape& shape = in.shape();
    const kernels::Strides strides = kernels::dense_strides(shape);
    Shape order;
    kernels::Strides ordered{};
    ReductionShape run;
    for (const bool wanted : {false, true}) {
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (axes_[static_cast<size_t>(axis)] == wanted) {
          ordered[static_cast<size_t>(order.rank())] = strides[static_cast<size_t>(axis)];
          order.push_back(shape[axis]);
          (wanted ? run.length : run.outer) *= shape[axis];
        }
      }
    }
    FOREBAY_ASSIGN_OR_RETURN(const tensor::Tensor together,
                             tensor::Tensor::allocate({order, in.dtype(), {}}));
    kernels::copy_strided(order, static_cast<int>(tensor::size_of(in.dtype())), in.data, ordered,
                          together.mutable_data(), kernels::dense_strides(order));
    return reduce_run(reduction_, run, together.view(), out.data);
  }

  const Reduction reduction_;
  const AxisSet axes_;
  const bool keep_axes_;
};

}  // namespace

Result<Array> reduce(Reduction reduction, const Array& array, const ReduceOptions& options) {
  if (!array.is_valid()) {
    return invalid_argument("no array to reduce");
  }
  if (is_search(reduction) && options.axes.size() > 1) {
    return invalid_argument("argmax and argmin take one axis, or none");
  }
  FOREBAY_ASSIGN_OR_RETURN(const AxisSet axes, axis_set(array.shape(), options));
  return apply_one(std::make_shared<Reduce>(reduction, axes, options.keep_axes), {&array, 1});
}

Result<Array> norm(const Array& array, int order, const ReduceOptions& options) {
  if (order != 1 && order != 2) {
    return invalid_argument("norms are of order 1 or 2, not {}", order);
  }
  return reduce(order == 1 ? Reduction::kSumOfMagnitudes : Reduction::kNorm, array, options);
}

}  // namespace forebay::ndarray
