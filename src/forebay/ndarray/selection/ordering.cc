#include "forebay/ndarray/selection/ordering.h"

#include "forebay/kernels/sorting/order.h"
#include "forebay/ndarray/algebra/strided.h"
#include "forebay/ndarray/autograd.h"
#include "forebay/ndarray/axis.h"
#include "forebay/ndarray/selection/gathering.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {
namespace {

using kernels::Lines;
using kernels::Zeros;

constexpr int64_t kOrderedAShare = int64_t{1} << 14;

/// How many lines make up one share.
int64_t lines_a_share(const Lines& lines) {
  return places_a_share(lines.length, kOrderedAShare);
}

class Order final : public Operation {
 public:
  Order(int axis, int64_t k, bool ascending, Zeros zeros)
      : axis_(axis), k_(k), ascending_(ascending), zeros_(zeros) {}

  std::string_view name() const override { return "order"; }
  bool is_differentiable() const override { return false; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    tensor::Shape shape = inputs[0].shape;
    if (k_ < 0 || k_ > shape[axis_]) {
      return invalid_argument("{} of {} elements", k_, shape[axis_]);
    }
    shape[axis_] = k_;
    return ArraySpecs{{shape, tensor::DType::kInt64}};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const Lines lines = lines_along(in.shape(), axis_);
    return share(lines.count(), lines_a_share(lines), [&](int64_t first, int64_t last) {
      return kernels::order_lines(in, lines, k_, ascending_, first, last, operands.outputs[0].as<int64_t>(),
                                  zeros_);
    });
  }

 private:
  const int axis_;
  const int64_t k_;
  const bool ascending_;
  const Zeros zeros_;
};

class Sort final : public Operation {
 public:
  Sort(int axis, bool ascending) : axis_(axis), ascending_(ascending) {}

  std::string_view name() const override { return "sort"; }
  bool is_differentiable() const override { return false; }  // see sort()
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const Lines lines = lines_along(in.shape(), axis_);
    return share(lines.count(), lines_a_share(lines), [&](int64_t first, int64_t last) {
      return kernels::sort_lines(in, lines, ascending_, first, last, operands.outputs[0].data);
    });
  }

 private:
  const int axis_;
  const bool ascending_;
};

class CumulativeSum final : public Operation {
 public:
  explicit CumulativeSum(int axis) : axis_(axis) {}

  std::string_view name() const override { return "cumsum"; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    if (inputs[0].dtype == tensor::DType::kBool) {
      return invalid_argument("bool cannot be added up; convert it to a number with astype()");
    }
    return ArraySpecs{inputs[0]};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    const Lines lines = lines_along(in.shape(), axis_);
    return share(lines.count(), lines_a_share(lines), [&](int64_t first, int64_t last) {
      kernels::add_up_lines(in, lines, first, last, operands.outputs[0].data);
      return ok_status();
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    FOREBAY_ASSIGN_OR_RETURN(const Array backward, flip(request.output_gradients[0], {&axis_, 1}));
    FOREBAY_ASSIGN_OR_RETURN(const Array sums, cumulative_sum(backward, axis_));
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, flip(sums, {&axis_, 1}));
    return Arrays{std::move(gradient)};
  }

 private:
  const int axis_;
};

}  // namespace

Result<Array> order(const Array& array, int axis, int64_t k, bool ascending) {
  FOREBAY_ASSIGN_OR_RETURN(const int place, checked_axis("order", axis, array.shape().rank()));
  return apply_one(std::make_shared<Order>(place, k, ascending, Zeros::kEqual), {&array, 1});
}

Result<Array> sort(const Array& array, int axis, bool ascending) {
  FOREBAY_ASSIGN_OR_RETURN(const int place, checked_axis("sort", axis, array.shape().rank()));
  if (is_recording() && leads_to_leaf(array)) {  // the gradient follows from the places alone
    const int64_t length = array.shape()[place];
    const Array values = array.detached();
    FOREBAY_ASSIGN_OR_RETURN(
        const Array places,
        apply_one(std::make_shared<Order>(place, length, ascending, Zeros::kBySign), {&values, 1}));
    return take_along_axis(array, places, place);
  }
  return apply_one(std::make_shared<Sort>(place, ascending), {&array, 1});
}

Result<Array> cumulative_sum(const Array& array, int axis) {
  FOREBAY_ASSIGN_OR_RETURN(const int place, checked_axis("cumsum", axis, array.shape().rank()));
  return apply_one(std::make_shared<CumulativeSum>(place), {&array, 1});
}

}  // namespace forebay::ndarray
