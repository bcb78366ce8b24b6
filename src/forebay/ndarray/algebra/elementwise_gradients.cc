#include "forebay/ndarray/algebra/elementwise_gradients.h"

#include <cmath>
#include <numbers>

#include "forebay/ndarray/algebra/broadcasting.h"
#include "forebay/ndarray/algebra/expression.h"

namespace forebay::ndarray {
namespace {

/// The gradient of op(a), given the gradient g of its result y.
Result<Array> unary_gradient(ArithmeticOp op, const Expression& g, const Expression& a, const Expression& y) {
  switch (op) {
    case ArithmeticOp::kPlus:
      return g.result();
    case ArithmeticOp::kMinus:
      return (-g).result();
    case ArithmeticOp::kAbs:
    case ArithmeticOp::kFabs:
      return (g * ((a > 0.0) - (a < 0.0))).result();
    case ArithmeticOp::kSqrt:
      return (g * 0.5 / y).result();
    case ArithmeticOp::kRsqrt:
      return (g * -0.5 * (a.apply(ArithmeticOp::kRsqrt) / a)).result();
    case ArithmeticOp::kCbrt:
      return (g / (3.0 * (y * y))).result();
    case ArithmeticOp::kExp:
      return (g * y).result();
    case ArithmeticOp::kLog:
      return (g / a).result();
    case ArithmeticOp::kLog2:
      return (g / (a * std::numbers::ln2)).result();
    case ArithmeticOp::kLog10:
      return (g / (a * std::numbers::ln10)).result();
    case ArithmeticOp::kSin:
      return (g * a.apply(ArithmeticOp::kCos)).result();
    case ArithmeticOp::kCos:
      return (-(g * a.apply(ArithmeticOp::kSin))).result();
    case ArithmeticOp::kTan:
      return (g * (1.0 + y * y)).result();
    case ArithmeticOp::kAsin:
      return (g * (1.0 - a * a).apply(ArithmeticOp::kRsqrt)).result();
    case ArithmeticOp::kAcos:
      return (-(g * (1.0 - a * a).apply(ArithmeticOp::kRsqrt))).result();
    case ArithmeticOp::kAtan:
      return (g / (1.0 + a * a)).result();
    case ArithmeticOp::kSinh:
      return (g * a.apply(ArithmeticOp::kCosh)).result();
    case ArithmeticOp::kCosh:
      return (g * a.apply(ArithmeticOp::kSinh)).result();
    case ArithmeticOp::kTanh:
      return (g * (1.0 - y * y)).result();
    case ArithmeticOp::kAsinh:
      return (g * (a * a + 1.0).apply(ArithmeticOp::kRsqrt)).result();
    case ArithmeticOp::kAcosh:
      return (g * (a * a - 1.0).apply(ArithmeticOp::kRsqrt)).result();
    case ArithmeticOp::kAtanh:
      return (g / (1.0 - a * a)).result();
    default:
      return unimplemented("{} has no gradient", kernels::name_of(op));
  }
}

/// The gradient of op(a, b) with respect to operand `side`, before it is reduced to the operand's shape.
Expression binary_gradient(ArithmeticOp op, int side, const Expression& g, const Expression& a,
                           const Expression& b) {
  switch (op) {
    case ArithmeticOp::kAdd:
      return g;
    case ArithmeticOp::kSub:
      return side == 0 ? g : -g;
    case ArithmeticOp::kMul:
      return side == 0 ? g * b : g * a;
    case ArithmeticOp::kDiv:
    case ArithmeticOp::kFdiv:
      return side == 0 ? g / b : -(g * (a / b / b));
    case ArithmeticOp::kMod:
      return side == 0 ? g : -(g * ((a - a.apply(op, b)) / b));
    case ArithmeticOp::kMax:
      return side == 0 ? g * (a >= b) : g * (a < b);
    case ArithmeticOp::kMin:
      return side == 0 ? g * (a <= b) : g * (a > b);
    case ArithmeticOp::kPow:
    case ArithmeticOp::kFpow:
      return side == 0 ? g * b * a.apply(op, b - 1.0) : g * a.apply(op, b) * a.apply(ArithmeticOp::kLog);
    case ArithmeticOp::kAtan2:
      return side == 0 ? g * b / (a * a + b * b) : -(g * a / (a * a + b * b));
    default:
      return Result<Array>(unimplemented("{} has no gradient", kernels::name_of(op)));
  }
}

/// The gradient of y = op(a, s), or op(s, a) if reversed.
Result<Array> scalar_gradient(ArithmeticOp op, const Expression& g, const Expression& a, const Expression& y,
                              double s, bool reversed) {
  switch (op) {
    case ArithmeticOp::kAdd:
      return g.result();
    case ArithmeticOp::kSub:
      return reversed ? (-g).result() : g.result();
    case ArithmeticOp::kMul:
      return (g * s).result();
    case ArithmeticOp::kDiv:
    case ArithmeticOp::kFdiv:
      return reversed ? (g * -s / (a * a)).result() : (g / s).result();
    case ArithmeticOp::kMod:
      return reversed ? (-(g * (s / a).apply(ArithmeticOp::kFloor))).result() : g.result();
    case ArithmeticOp::kMax:
      return reversed ? (g * (s < a)).result() : (g * (a >= s)).result();
    case ArithmeticOp::kMin:
      return reversed ? (g * (s > a)).result() : (g * (a <= s)).result();
    case ArithmeticOp::kPow:
    case ArithmeticOp::kFpow:
      return reversed ? (g * y * std::log(s)).result() : (g * s * a.apply(op, s - 1.0)).result();
    case ArithmeticOp::kAtan2:
      return reversed ? (g * -s / (a * a + s * s)).result() : (g * s / (a * a + s * s)).result();
    default:
      return unimplemented("{} has no gradient", kernels::name_of(op));
  }
}

bool is_one_of(ArithmeticOp op, std::initializer_list<ArithmeticOp> ops) {
  return std::ranges::find(ops, op) != ops.end();
}

/// Functions whose gradient follows from the result alone. As in MXNet: what it reads there is read here, so
/// that what a script may write there may be written here.
bool needs_result(ArithmeticOp op) {
  return is_one_of(op, {ArithmeticOp::kSqrt, ArithmeticOp::kCbrt, ArithmeticOp::kExp, ArithmeticOp::kTan,
                        ArithmeticOp::kTanh});
}

Places operands_read(ArithmeticOp op, Places wanted) {
  switch (op) {
    case ArithmeticOp::kPlus:
    case ArithmeticOp::kMinus:
    case ArithmeticOp::kAdd:
    case ArithmeticOp::kSub:
      return false;
    case ArithmeticOp::kMul:
      return factors_read(wanted);
    case ArithmeticOp::kDiv:
    case ArithmeticOp::kFdiv:
      return wanted.has(1) ? Places{0, 1} : Places{1};
    case ArithmeticOp::kMod:
      return wanted.has(1);
    default:
      return !has_zero_gradient(op) && !needs_result(op);
  }
}

}  // namespace

bool has_zero_gradient(ArithmeticOp op) {
  return kernels::is_comparison(op) || is_one_of(op, {ArithmeticOp::kFloor, ArithmeticOp::kCeil});
}

bool has_gradient(ArithmeticOp op) {
  const bool is_bitwise = op >= ArithmeticOp::kBitAnd && op <= ArithmeticOp::kShiftRight;
  return !is_bitwise && op != ArithmeticOp::kBitNot && op != ArithmeticOp::kClamp;
}

Keeps kept_by(ArithmeticOp op, Places wanted) {
  return {.inputs = operands_read(op, wanted), .outputs = needs_result(op)};
}

Keeps kept_with_scalar(ArithmeticOp op, bool reversed) {
  if (reversed && (op == ArithmeticOp::kPow || op == ArithmeticOp::kFpow)) {
    return {.inputs = false, .outputs = true};
  }
  const bool is_linear =
      is_one_of(op, {ArithmeticOp::kAdd, ArithmeticOp::kSub, ArithmeticOp::kMul}) ||
      (!reversed && is_one_of(op, {ArithmeticOp::kDiv, ArithmeticOp::kFdiv, ArithmeticOp::kMod}));
  return {.inputs = !is_linear && !has_zero_gradient(op), .outputs = false};
}

Result<Arrays> elementwise_gradients(ArithmeticOp op, const GradientRequest& request) {
  if (has_zero_gradient(op)) {
    return Arrays(request.input_specs.size());
  }
  const Expression g = request.output_gradients[0];
  const Expression a = request.inputs[0];
  if (request.inputs.size() == 1) {
    const Expression y = request.outputs[0];
    FOREBAY_ASSIGN_OR_RETURN(Array gradient, unary_gradient(op, g, a, y));
    return Arrays{std::move(gradient)};
  }
  const Expression b = request.inputs[1];
  Arrays gradients(2);
  for (int side = 0; side < 2; ++side) {
    if (request.wanted[side]) {
      FOREBAY_ASSIGN_OR_RETURN(Array whole, binary_gradient(op, side, g, a, b).result());
      FOREBAY_ASSIGN_OR_RETURN(gradients[side], sum_to(whole, request.input_specs[side].shape));
    }
  }
  return gradients;
}

Result<Arrays> scalar_gradients(ArithmeticOp op, double scalar, bool reversed,
                                const GradientRequest& request) {
  if (has_zero_gradient(op)) {
    return Arrays(1);
  }
  FOREBAY_ASSIGN_OR_RETURN(Array gradient, scalar_gradient(op, request.output_gradients[0], request.inputs[0],
                                                           request.outputs[0], scalar, reversed));
  return Arrays{std::move(gradient)};
}

}  // namespace forebay::ndarray
