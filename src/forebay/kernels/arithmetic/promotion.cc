// Names, types and shapes of expressions.
#include <algorithm>
#include <array>

#include "forebay/kernels/arithmetic/arithmetic.h"

namespace forebay::kernels {
namespace {

using tensor::DType;
using tensor::Shape;

struct OpName {
  std::string_view name;
  ArithmeticOp op;
};

constexpr OpName kOpNames[] = {
    {"plus", ArithmeticOp::kPlus},        {"minus", ArithmeticOp::kMinus},
    {"bitnot", ArithmeticOp::kBitNot},    {"abs", ArithmeticOp::kAbs},
    {"fabs", ArithmeticOp::kFabs},        {"floor", ArithmeticOp::kFloor},
    {"ceil", ArithmeticOp::kCeil},        {"sqrt", ArithmeticOp::kSqrt},
    {"rsqrt", ArithmeticOp::kRsqrt},      {"cbrt", ArithmeticOp::kCbrt},
    {"exp", ArithmeticOp::kExp},          {"log", ArithmeticOp::kLog},
    {"log2", ArithmeticOp::kLog2},        {"log10", ArithmeticOp::kLog10},
    {"sin", ArithmeticOp::kSin},          {"cos", ArithmeticOp::kCos},
    {"tan", ArithmeticOp::kTan},          {"asin", ArithmeticOp::kAsin},
    {"acos", ArithmeticOp::kAcos},        {"atan", ArithmeticOp::kAtan},
    {"sinh", ArithmeticOp::kSinh},        {"cosh", ArithmeticOp::kCosh},
    {"tanh", ArithmeticOp::kTanh},        {"asinh", ArithmeticOp::kAsinh},
    {"acosh", ArithmeticOp::kAcosh},      {"atanh", ArithmeticOp::kAtanh},
    {"add", ArithmeticOp::kAdd},          {"sub", ArithmeticOp::kSub},
    {"mul", ArithmeticOp::kMul},          {"div", ArithmeticOp::kDiv},
    {"fdiv", ArithmeticOp::kFdiv},        {"mod", ArithmeticOp::kMod},
    {"min", ArithmeticOp::kMin},          {"max", ArithmeticOp::kMax},
    {"pow", ArithmeticOp::kPow},          {"fpow", ArithmeticOp::kFpow},
    {"atan2", ArithmeticOp::kAtan2},      {"eq", ArithmeticOp::kEqual},
    {"neq", ArithmeticOp::kNotEqual},     {"lt", ArithmeticOp::kLess},
    {"leq", ArithmeticOp::kLessEqual},    {"gt", ArithmeticOp::kGreater},
    {"geq", ArithmeticOp::kGreaterEqual}, {"bitand", ArithmeticOp::kBitAnd},
    {"bitor", ArithmeticOp::kBitOr},      {"bitxor", ArithmeticOp::kBitXor},
    {"lshift", ArithmeticOp::kShiftLeft}, {"rshift", ArithmeticOp::kShiftRight},
    {"clamp", ArithmeticOp::kClamp},
};

bool is_between(ArithmeticOp op, ArithmeticOp first, ArithmeticOp last) {
  return op >= first && op <= last;
}

bool is_bitwise(ArithmeticOp op) {
  return op == ArithmeticOp::kBitNot || is_between(op, ArithmeticOp::kBitAnd, ArithmeticOp::kShiftRight);
}

bool gives_float(ArithmeticOp op) {
  return is_between(op, ArithmeticOp::kFabs, ArithmeticOp::kAtanh) || op == ArithmeticOp::kFdiv ||
         op == ArithmeticOp::kFpow || op == ArithmeticOp::kAtan2;
}

// The signed integer type of that many bytes.
DType signed_of(size_t bytes) {
  switch (bytes) {
    case 1:
      return DType::kInt8;
    case 2:
      return DType::kInt16;
    case 4:
      return DType::kInt32;
    default:
      return DType::kInt64;
  }
}

}  // namespace

std::string_view name_of(ArithmeticOp op) {
  static const auto names = [] {
    std::array<std::string_view, std::size(kOpNames)> ordered;
    for (const OpName& entry : kOpNames) {
      ordered[static_cast<size_t>(entry.op)] = entry.name;
    }
    return ordered;
  }();
  return names[static_cast<size_t>(op)];
}

Result<ArithmeticOp> arithmetic_op_of(std::string_view name) {
  for (const OpName& entry : kOpNames) {
    if (entry.name == name) {
      return entry.op;
    }
  }
  return not_found("no arithmetic operation is called \"{}\"", name);
}

int operand_count(ArithmeticOp op) {
  if (op == ArithmeticOp::kClamp) {
    return 3;
  }
  return op <= ArithmeticOp::kAtanh ? 1 : 2;
}

bool is_comparison(ArithmeticOp op) {
  return is_between(op, ArithmeticOp::kEqual, ArithmeticOp::kGreaterEqual);
}

DType promote(DType a, DType b) {
  if (a == b) {
    return a;
  }
  if (a == DType::kBool || b == DType::kBool) {
    return a == DType::kBool ? b : a;
  }
  if (is_floating(a) || is_floating(b)) {
    if (is_floating(a) && is_floating(b)) {
      return size_of(a) > size_of(b) ? a : b;
    }
    return is_floating(a) ? a : b;
  }
  if (is_signed(a) == is_signed(b)) {
    return size_of(a) > size_of(b) ? a : b;
  }
  const DType with_sign = is_signed(a) ? a : b;
  const DType without = is_signed(a) ? b : a;
  return size_of(with_sign) > size_of(without) ? with_sign : signed_of(2 * size_of(without));
}

Result<DType> result_dtype(ArithmeticOp op, std::span<const DType> operands) {
  if (static_cast<int>(operands.size()) != operand_count(op)) {
    return invalid_argument("{} takes {} operands, not {}", name_of(op), operand_count(op), operands.size());
  }
  DType type = operands[0];
  for (const DType operand : operands) {
    if (operand == DType::kNone) {
      return invalid_argument("{}: an operand has no type", name_of(op));
    }
    if (is_bitwise(op) && is_floating(operand)) {
      return invalid_argument("{} is a bitwise operation and takes integers, not {}", name_of(op),
                              tensor::name_of(operand));
    }
    type = promote(type, operand);
  }
  if (is_comparison(op)) {
    return DType::kBool;
  }
  const bool takes_bool = op == ArithmeticOp::kPlus || op == ArithmeticOp::kMul || is_bitwise(op);
  const bool shifts = op == ArithmeticOp::kShiftLeft || op == ArithmeticOp::kShiftRight;
  if (type == DType::kBool && (!takes_bool || shifts)) {
    return invalid_argument("{} is not defined for bool; cast it, or use a bitwise operation", name_of(op));
  }
  return gives_float(op) && !is_floating(type) ? DType::kFloat : type;
}

Result<Shape> broadcast_shape(std::span<const Shape> shapes) {
  int rank = 0;
  for (const Shape& shape : shapes) {
    rank = std::max(rank, shape.rank());
  }
  Shape result;
  for (int axis = 0; axis < rank; ++axis) {
    int64_t extent = 1;
    for (const Shape& shape : shapes) {
      const int at = axis - (rank - shape.rank());
      if (at < 0 || shape[at] == 1 || shape[at] == extent) {
        continue;
      }
      if (extent != 1) {
        return invalid_argument("shapes {} and {} cannot be broadcast: {} and {} on one axis",
                                shapes[0].to_string(), shape.to_string(), extent, shape[at]);
      }
      extent = shape[at];
    }
    result.push_back(extent);
  }
  return result;
}

}  // namespace forebay::kernels
