#include "forebay/ndarray/functions/function_gradients.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "forebay/ndarray/algebra/expression.h"

namespace forebay::ndarray {
namespace {

Expression function(UnaryFunction function, const Expression& a, const FunctionParameters& parameters = {}) {
  const Result<Array> array = a.result();
  return array.ok() ? Expression(apply_function(function, *array, parameters)) : a;
}

bool is_one_of(UnaryFunction function, std::initializer_list<UnaryFunction> functions) {
  return std::ranges::find(functions, function) != functions.end();
}

/// Whether the derivative needs only the result y. As in MXNet: what it reads there is read here, so that
/// what a script may write there may be written here.
bool looks_at_result(UnaryFunction function) {
  return is_one_of(function,
                   {UnaryFunction::kExp, UnaryFunction::kTanh, UnaryFunction::kSigmoid, UnaryFunction::kSqrt,
                    UnaryFunction::kRelu, UnaryFunction::kCbrt, UnaryFunction::kTan, UnaryFunction::kErfinv});
}

Expression from_result(UnaryFunction name, const Expression& g, const Expression& y) {
  switch (name) {
    case UnaryFunction::kExp:
      return g * y;
    case UnaryFunction::kTanh:
      return g * (1.0 - y * y);
    case UnaryFunction::kSigmoid:
      return g * y * (1.0 - y);
    case UnaryFunction::kSqrt:
      return g * 0.5 / y;
    case UnaryFunction::kRelu:
      return g * (y > 0.0);
    case UnaryFunction::kCbrt:
      return g / (3.0 * (y * y));
    case UnaryFunction::kTan:
      return g * (1.0 + y * y);
    default:  // kErfinv
      return g * (0.5 / std::numbers::inv_sqrtpi) * function(UnaryFunction::kExp, y * y);
  }
}

/// Functions whose derivative is written with the result y, which is computed again.
Expression from_both(UnaryFunction name, const FunctionParameters& parameters, const Expression& g,
                     const Expression& a) {
  const Expression y = function(name, a, parameters);
  switch (name) {
    case UnaryFunction::kExpm1:
      return g * (y + 1.0);
    case UnaryFunction::kReciprocal:
      return -(g * y * y);
    case UnaryFunction::kHardSigmoid:
      return g * parameters.first * (y > 0.0) * (y < 1.0);
    case UnaryFunction::kRsqrt:
      return g * -0.5 * (y / a);
    case UnaryFunction::kRcbrt:
      return g * (-1.0 / 3) * (y / a);
    default:  // kGamma
      return g * y * function(UnaryFunction::kDigamma, a);
  }
}

bool looks_at_both(UnaryFunction function) {
  return is_one_of(function, {UnaryFunction::kExpm1, UnaryFunction::kReciprocal, UnaryFunction::kHardSigmoid,
                              UnaryFunction::kRsqrt, UnaryFunction::kRcbrt, UnaryFunction::kGamma});
}

Expression of_trigonometric(UnaryFunction name, const Expression& g, const Expression& a) {
  switch (name) {
    case UnaryFunction::kSin:
      return g * function(UnaryFunction::kCos, a);
    case UnaryFunction::kCos:
      return -(g * function(UnaryFunction::kSin, a));
    case UnaryFunction::kArcsin:
      return g * function(UnaryFunction::kRsqrt, 1.0 - a * a);
    case UnaryFunction::kArccos:
      return -(g * function(UnaryFunction::kRsqrt, 1.0 - a * a));
    case UnaryFunction::kArctan:
      return g / (1.0 + a * a);
    case UnaryFunction::kSinh:
      return g * function(UnaryFunction::kCosh, a);
    case UnaryFunction::kCosh:
      return g * function(UnaryFunction::kSinh, a);
    case UnaryFunction::kArcsinh:
      return g * function(UnaryFunction::kRsqrt, a * a + 1.0);
    case UnaryFunction::kArccosh:
      return g * function(UnaryFunction::kRsqrt, a * a - 1.0);
    case UnaryFunction::kArctanh:
      return g / (1.0 - a * a);
    default:
      return Result<Array>(unimplemented("{} has no gradient", kernels::name_of(name)));
  }
}

Expression from_operand(UnaryFunction name, const FunctionParameters& parameters, const Expression& g,
                        const Expression& a) {
  const double first = parameters.first;
  switch (name) {
    case UnaryFunction::kLog:
      return g / a;
    case UnaryFunction::kLog1p:
      return g / (a + 1.0);
    case UnaryFunction::kLog2:
      return g / (a * std::numbers::ln2);
    case UnaryFunction::kLog10:
      return g / (a * std::numbers::ln10);
    case UnaryFunction::kSquare:
      return g * 2.0 * a;
    case UnaryFunction::kSoftsign:
      return g / function(UnaryFunction::kSquare, a.apply(ArithmeticOp::kAbs) + 1.0);
    case UnaryFunction::kClip:
      return g * (a >= first) * (a <= parameters.second);
    case UnaryFunction::kSmoothL1:
      return g * function(UnaryFunction::kClip, a * (first * first), {-1, 1});
    case UnaryFunction::kErf:
      return g * (2 * std::numbers::inv_sqrtpi) * function(UnaryFunction::kExp, -(a * a));
    case UnaryFunction::kGammaln:
      return g * function(UnaryFunction::kDigamma, a);
    case UnaryFunction::kDegrees:
      return g * (180 / std::numbers::pi);
    case UnaryFunction::kRadians:
      return g * (std::numbers::pi / 180);
    case UnaryFunction::kReplaceNan:
      return g * a.apply(ArithmeticOp::kEqual, a);
    default:
      return of_trigonometric(name, g, a);
  }
}

}  // namespace

bool has_zero_gradient(UnaryFunction function) {
  return is_one_of(function,
                   {UnaryFunction::kRound, UnaryFunction::kRint, UnaryFunction::kTrunc, UnaryFunction::kFloor,
                    UnaryFunction::kCeil, UnaryFunction::kSign, UnaryFunction::kLogicalNot,
                    UnaryFunction::kIsNan, UnaryFunction::kIsInfinite, UnaryFunction::kIsFinite});
}

Keeps kept_by(UnaryFunction function) {
  const bool keeps_nothing =
      has_zero_gradient(function) || is_one_of(function, {UnaryFunction::kDegrees, UnaryFunction::kRadians});
  return {.inputs = !keeps_nothing && !looks_at_result(function), .outputs = looks_at_result(function)};
}

Result<Arrays> function_gradients(UnaryFunction name, const FunctionParameters& parameters,
                                  const GradientRequest& request) {
  if (has_zero_gradient(name)) {
    return Arrays(1);
  }
  const Expression g = request.output_gradients[0];
  const Expression a = request.inputs[0];
  const Expression gradient = looks_at_result(name) ? from_result(name, g, request.outputs[0])
                              : looks_at_both(name) ? from_both(name, parameters, g, a)
                                                    : from_operand(name, parameters, g, a);
  FOREBAY_ASSIGN_OR_RETURN(Array made, gradient.result());
  return Arrays{std::move(made)};
}

Result<Arrays> pair_gradients(PairFunction function, const GradientRequest& request) {
  Arrays gradients(2);
  const Expression g = request.output_gradients[0];
  const Expression a = request.inputs[0];
  const Expression b = request.inputs[1];
  if (function == PairFunction::kModulo) {
    FOREBAY_ASSIGN_OR_RETURN(gradients[0], g.result());
    if (request.wanted[1]) {
      FOREBAY_ASSIGN_OR_RETURN(gradients[1], (-(g * (a / b).apply(ArithmeticOp::kFloor))).result());
    }
  } else if (function == PairFunction::kHypot) {
    const Expression y = apply_pairs(function, request.inputs[0], request.inputs[1]);
    FOREBAY_ASSIGN_OR_RETURN(gradients[0], (g * a / y).result());
    FOREBAY_ASSIGN_OR_RETURN(gradients[1], (g * b / y).result());
  }
  return gradients;
}

Result<Arrays> pair_gradients(PairFunction function, double scalar, bool reversed,
                              const GradientRequest& request) {
  Arrays gradients(1);
  const Expression g = request.output_gradients[0];
  const Expression a = request.inputs[0];
  if (function == PairFunction::kModulo) {
    const Expression gradient = reversed ? -(g * (scalar / a).apply(ArithmeticOp::kFloor)) : g;
    FOREBAY_ASSIGN_OR_RETURN(gradients[0], gradient.result());
  } else if (function == PairFunction::kHypot) {
    const Expression y = apply_pairs(function, request.inputs[0], scalar);
    FOREBAY_ASSIGN_OR_RETURN(gradients[0], (g * a / y).result());
  }
  return gradients;
}

}  // namespace forebay::ndarray
