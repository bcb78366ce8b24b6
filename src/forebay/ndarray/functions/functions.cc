#include "forebay/ndarray/functions/functions.h"

#include <algorithm>
#include <array>

#include "forebay/kernels/arithmetic/arithmetic.h"
#include "forebay/memory/copy.h"
#include "forebay/ndarray/algebra/broadcasting.h"
#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/scalar.h"
#include "forebay/ndarray/functions/function_gradients.h"
#include "forebay/ndarray/sharing.h"

namespace forebay::ndarray {
namespace {

using tensor::DType;
using tensor::TensorView;

// Half a share, because functions cost more than arithmetic.
constexpr int64_t kComputedAShare = int64_t{1} << 15;

Status check_number(const ArraySpec& spec) {
  return spec.dtype == DType::kBool ? invalid_argument("bool; convert it to a number with astype()")
                                    : ok_status();
}

class FunctionOf final : public Operation {
 public:
  FunctionOf(UnaryFunction function, const FunctionParameters& parameters)
      : function_(function), parameters_(parameters) {}

  std::string_view name() const override { return kernels::name_of(function_); }
  bool works_in_place() const override { return true; }
  Keeps keeps(Places /*wanted*/) const override { return kept_by(function_); }
  bool is_step() const override { return has_zero_gradient(function_); }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_number(inputs[0]));
    return ArraySpecs{inputs[0]};
  }

  Status run(const Operands& operands) const override {
    const TensorView& in = operands.inputs[0];
    return share(in.volume(), kComputedAShare, [&](int64_t first, int64_t last) {
      kernels::apply_function(function_, parameters_, in.dtype(), part_of(in, first, last).data, last - first,
                              part_of(operands.outputs[0], first, last).data);
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    return function_gradients(function_, parameters_, request);
  }

 private:
  const UnaryFunction function_;
  const FunctionParameters parameters_;
};

/// Two arrays of one shape, or an array and a number.
class PairsOf final : public Operation {
 public:
  explicit PairsOf(PairFunction function) : function_(function) {}
  PairsOf(PairFunction function, double scalar, bool reversed)
      : function_(function), scalar_(scalar), has_scalar_(true), reversed_(reversed) {}

  std::string_view name() const override { return kernels::name_of(function_); }
  bool works_in_place() const override { return true; }
  Keeps keeps(Places wanted) const override {
    if (function_ == PairFunction::kModulo) {
      return {.inputs = has_scalar_ ? reversed_ : wanted.has(1)};
    }
    return {.inputs = function_ == PairFunction::kHypot};
  }
  bool is_step() const override {
    return function_ != PairFunction::kHypot && function_ != PairFunction::kModulo;
  }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_number(inputs[0]));
    return ArraySpecs{inputs[0]};
  }

  Status run(const Operands& operands) const override {
    const TensorView& a = operands.inputs[0];
    if (!has_scalar_) {
      return run_on(a, 1, operands.inputs[1], 1, operands.outputs[0]);
    }
    const Scalar number(scalar_, a.dtype());
    return reversed_ ? run_on(number.view(), 0, a, 1, operands.outputs[0])
                     : run_on(a, 1, number.view(), 0, operands.outputs[0]);
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    return has_scalar_ ? pair_gradients(function_, scalar_, reversed_, request)
                       : pair_gradients(function_, request);
  }

 private:
  Status run_on(const TensorView& a, int a_step, const TensorView& b, int b_step,
                const tensor::MutableTensorView& out) const {
    return share(out.volume(), kComputedAShare, [&](int64_t first, int64_t last) {
      kernels::apply_pairs(function_, out.dtype(), part_of(a, first * a_step, last * a_step).data, a_step,
                           part_of(b, first * b_step, last * b_step).data, b_step, last - first,
                           part_of(out, first, last).data);
    });
  }

  const PairFunction function_;
  const double scalar_ = 0;
  const bool has_scalar_ = false;
  const bool reversed_ = false;
};

/// A copy with its own gradient: `scale` everywhere.
class ConstantGradient final : public Operation {
 public:
  ConstantGradient(std::string_view name, double scale) : name_(name), scale_(scale) {}

  std::string_view name() const override { return name_; }
  Keeps keeps(Places /*wanted*/) const override { return {.inputs = false}; }
  bool is_step() const override { return scale_ == 0; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }

  Status run(const Operands& operands) const override {
    const TensorView& in = operands.inputs[0];
    memory::copy(operands.outputs[0].data, in.data, in.spec.size_bytes());
    return ok_status();
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    Arrays gradients(1);
    if (scale_ != 0) {
      FOREBAY_ASSIGN_OR_RETURN(gradients[0], full(request.input_specs[0], scale_));
    }
    return gradients;
  }

 private:
  const std::string_view name_;
  const double scale_;
};

/// Functions without parameters are made only once.
OperationRef operation_of(UnaryFunction function, const FunctionParameters& parameters) {
  // Never destroyed, because threads may outlive the process's statics.
  static const auto& known = *[] {
    auto* const all = new std::array<OperationRef, kernels::kFunctionCount>;
    auto& made = *all;
    for (size_t i = 0; i < made.size(); ++i) {
      made[i] = std::make_shared<FunctionOf>(static_cast<UnaryFunction>(i), FunctionParameters{});
    }
    return all;
  }();
  const bool is_plain = parameters.first == 0 && parameters.second == 0;
  return is_plain ? known[static_cast<size_t>(function)] : std::make_shared<FunctionOf>(function, parameters);
}

}  // namespace

Result<Array> apply_function(UnaryFunction function, const Array& a, const FunctionParameters& parameters) {
  return apply_one(operation_of(function, parameters), {&a, 1});
}

Status apply_function_into(UnaryFunction function, const Array& a, const FunctionParameters& parameters,
                           const Array& out) {
  return apply_into(operation_of(function, parameters), {&a, 1}, out);
}

Result<Array> apply_pairs(PairFunction function, const Array& a, const Array& b) {
  if (a.dtype() != b.dtype()) {
    return invalid_argument("{}: operands of {} and {}; convert one to the other's type with astype()",
                            kernels::name_of(function), tensor::name_of(a.dtype()),
                            tensor::name_of(b.dtype()));
  }
  const tensor::Shape shapes[] = {a.shape(), b.shape()};
  Result<tensor::Shape> shape = kernels::broadcast_shape(shapes);
  if (!shape.ok()) {
    return annotate(shape.status(), kernels::name_of(function));
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array left, broadcast_to(a, *shape));
  FOREBAY_ASSIGN_OR_RETURN(const Array right, broadcast_to(b, *shape));
  const Array inputs[] = {left, right};
  return apply_one(std::make_shared<PairsOf>(function), inputs);
}

Result<Array> apply_pairs(PairFunction function, const Array& a, double scalar, bool reversed) {
  return apply_one(std::make_shared<PairsOf>(function, scalar, reversed), {&a, 1});
}

Result<Array> make_loss(const Array& array, double scale) {
  return apply_one(std::make_shared<ConstantGradient>("make_loss", scale), {&array, 1});
}

Result<Array> stop_gradient(const Array& array) {
  return apply_one(std::make_shared<ConstantGradient>("stop_gradient", 0), {&array, 1});
}

}  // namespace forebay::ndarray
