#include "forebay/ndarray/nn/activation.h"

#include <array>
#include <cmath>
#include <numbers>

#include "forebay/ndarray/algebra/expression.h"
#include "forebay/ndarray/algebra/shaping.h"
#include "forebay/ndarray/nn/work.h"

namespace forebay::ndarray {
namespace {

using kernels::Function;
using tensor::Shape;

constexpr double kSeluAlpha = 1.6732632423543772;
constexpr double kSeluScale = 1.0507009873554805;

std::string_view name_of(Function function) {
  constexpr std::string_view kNames[] = {"exp",     "expm1", "log",      "log1p",   "relu",
                                         "sigmoid", "tanh",  "softrelu", "softsign"};
  return kNames[static_cast<size_t>(function)];
}

bool follows_from_output(Function function) {
  return function == Function::kExp || function >= Function::kRelu;
}

/// Inputs: the gradient and the activation's output.
class ActivationGradient final : public Operation {
 public:
  explicit ActivationGradient(Function function) : function_(function) {}

  std::string_view name() const override { return "gradient of Activation"; }
  bool works_in_place() const override { return true; }
  bool is_differentiable() const override { return false; }
  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override { return ArraySpecs{inputs[0]}; }

  Status run(const Operands& operands) const override {
    const auto& in = operands.inputs;
    return visit_real(in[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      return share(in[0].volume(), kElementsAShare, [&](int64_t first, int64_t last) {
        kernels::multiply_by_derivative(function_, in[0].as<T>() + first, in[1].as<T>() + first, last - first,
                                        operands.outputs[0].as<T>() + first);
      });
    });
  }

 private:
  const Function function_;
};

class Activate final : public Operation {
 public:
  explicit Activate(Function function) : function_(function) {}

  std::string_view name() const override { return name_of(function_); }
  bool works_in_place() const override { return true; }
  Keeps keeps(Places /*wanted*/) const override {
    const bool is_of_output = follows_from_output(function_);
    return {.inputs = !is_of_output, .outputs = is_of_output};
  }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    return ArraySpecs{inputs[0]};
  }

  Status run(const Operands& operands) const override {
    const tensor::TensorView& in = operands.inputs[0];
    return visit_real(in.dtype(), [&](auto zero) {
      using T = decltype(zero);
      return share(in.volume(), kElementsAShare, [&](int64_t first, int64_t last) {
        kernels::evaluate(function_, in.as<T>() + first, last - first, operands.outputs[0].as<T>() + first);
      });
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    const Array& g = request.output_gradients[0];
    Result<Array> gradient = Array();
    if (follows_from_output(function_)) {
      const Array inputs[] = {g, request.outputs[0]};
      gradient = apply_one(std::make_shared<ActivationGradient>(function_), inputs);
    } else {
      gradient = gradient_of_input(g, request.inputs[0]);
    }
    FOREBAY_RETURN_IF_ERROR(gradient.status());
    return Arrays{*std::move(gradient)};
  }

 private:
  Result<Array> gradient_of_input(const Expression& g, const Array& x) const {
    if (function_ == Function::kExpm1) {
      return (g * Expression(activation(Function::kExp, x))).result();
    }
    return (g / (function_ == Function::kLog ? Expression(x) : x + 1.0)).result();
  }

  const Function function_;
};

/// The value and slope of a rectifier at x.
template <class T>
struct Rectify {
  Rectifier kind;
  T slope;

  T value(T x) const {
    switch (kind) {
      case Rectifier::kLeaky:
        return x > 0 ? x : slope * x;
      case Rectifier::kElu:
        return x > 0 ? x : slope * std::expm1(x);
      case Rectifier::kSelu:
        return static_cast<T>(kSeluScale) * (x > 0 ? x : static_cast<T>(kSeluAlpha) * std::expm1(x));
      case Rectifier::kGelu:
        return x * phi(x);
    }
    return x;
  }
  T derivative(T x) const {
    switch (kind) {
      case Rectifier::kLeaky:
        return x > 0 ? 1 : slope;
      case Rectifier::kElu:
        return x > 0 ? 1 : slope * std::exp(x);
      case Rectifier::kSelu:
        return static_cast<T>(kSeluScale) * (x > 0 ? 1 : static_cast<T>(kSeluAlpha) * std::exp(x));
      case Rectifier::kGelu: {
        const T density =
            std::exp(-x * x / 2) * static_cast<T>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
        return phi(x) + x * density;
      }
    }
    return 1;
  }

  static T phi(T x) { return (1 + std::erf(x * static_cast<T>(1 / std::numbers::sqrt2))) / 2; }
};

/// One input: computes the values. Two inputs, the gradient and the forward input: the gradient times the
/// derivative.
class RectifyAll final : public Operation {
 public:
  RectifyAll(Rectifier kind, double slope) : kind_(kind), slope_(slope) {}

  std::string_view name() const override { return "LeakyReLU"; }
  bool works_in_place() const override { return true; }

  Result<ArraySpecs> infer(std::span<const ArraySpec> inputs) const override {
    FOREBAY_RETURN_IF_ERROR(check_real(inputs));
    return ArraySpecs{inputs[0]};
  }

  Status run(const Operands& operands) const override {
    return visit_real(operands.inputs[0].dtype(), [&](auto zero) {
      using T = decltype(zero);
      const Rectify<T> rectify{kind_, static_cast<T>(slope_)};
      const T* const first_input = operands.inputs[0].as<T>();
      const T* const second = operands.inputs.size() > 1 ? operands.inputs[1].as<T>() : nullptr;
      T* const out = operands.outputs[0].as<T>();
      return share(operands.inputs[0].volume(), kElementsAShare, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) {
          out[i] = second == nullptr ? rectify.value(first_input[i])
                                     : first_input[i] * rectify.derivative(second[i]);
        }
      });
    });
  }

  Result<Arrays> gradients(const GradientRequest& request) const override {
    if (request.inputs.size() > 1) {
      return unimplemented("LeakyReLU is differentiated once");
    }
    const Array inputs[] = {request.output_gradients[0], request.inputs[0]};
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, apply_one(std::make_shared<RectifyAll>(kind_, slope_), inputs));
    return Arrays{std::move(gradient)};
  }

 private:
  const Rectifier kind_;
  const double slope_;
};

}  // namespace

Result<Array> activation(Function function, const Array& data) {
  constexpr auto kCount = static_cast<size_t>(Function::kSoftsign) + 1;
  // Never destroyed, because threads may outlive the process's statics.
  static const auto& known = *[] {
    auto* const all = new std::array<OperationRef, kCount>;
    auto& made = *all;
    for (size_t i = 0; i < kCount; ++i) {
      made[i] = std::make_shared<Activate>(static_cast<Function>(i));
    }
    return all;
  }();
  return apply_one(known[static_cast<size_t>(function)], {&data, 1});
}

Result<Array> rectified(Rectifier rectifier, double slope, const Array& data) {
  return apply_one(std::make_shared<RectifyAll>(rectifier, slope), {&data, 1});
}

Result<Array> parametric_rectified(const Array& data, const Array& gamma) {
  if (!data.is_valid() || !gamma.is_valid()) {
    return invalid_argument("LeakyReLU: prelu takes data and gamma");
  }
  Array factor = gamma;
  const bool is_of_channels = gamma.shape().rank() == 1 && gamma.volume() > 1 && data.shape().rank() > 1;
  if (is_of_channels) {
    Shape shape;
    for (int axis = 0; axis < data.shape().rank(); ++axis) {
      shape.push_back(axis == 1 ? gamma.volume() : 1);
    }
    FOREBAY_ASSIGN_OR_RETURN(factor, reshape(gamma, shape));
  }
  const Expression positive = activation(Function::kRelu, data);
  FOREBAY_ASSIGN_OR_RETURN(const Array mirrored, negated(data));
  const Expression negative = activation(Function::kRelu, mirrored);
  return (positive - Expression(factor) * negative).result();
}

}  // namespace forebay::ndarray
