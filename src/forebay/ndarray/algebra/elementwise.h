// Elementwise arithmetic with broadcasting. Types follow MXNet: both arrays have the same type, a scalar
// takes the array's type, comparisons give 0 and 1 in the operands' type.
#pragma once

#include "forebay/kernels/arithmetic/arithmetic.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

using kernels::ArithmeticOp;

/// op(a). Not for kClamp.
Result<Array> unary(ArithmeticOp op, const Array& a);
/// op(a, b), broadcast.
Result<Array> binary(ArithmeticOp op, const Array& a, const Array& b);
/// op(a, scalar), or op(scalar, a) if `reversed`.
Result<Array> with_scalar(ArithmeticOp op, const Array& a, double scalar, bool reversed = false);

/// The same, written to `out` (which may be `a`).
Status binary_into(ArithmeticOp op, const Array& a, const Array& b, const Array& out);
Status with_scalar_into(ArithmeticOp op, const Array& a, double scalar, const Array& out,
                        bool reversed = false);

inline Result<Array> add(const Array& a, const Array& b) {
  return binary(ArithmeticOp::kAdd, a, b);
}
inline Result<Array> subtract(const Array& a, const Array& b) {
  return binary(ArithmeticOp::kSub, a, b);
}
inline Result<Array> multiply(const Array& a, const Array& b) {
  return binary(ArithmeticOp::kMul, a, b);
}
inline Result<Array> divide(const Array& a, const Array& b) {
  return binary(ArithmeticOp::kDiv, a, b);
}
inline Result<Array> scaled(const Array& a, double factor) {
  return with_scalar(ArithmeticOp::kMul, a, factor);
}
inline Result<Array> negated(const Array& a) {
  return unary(ArithmeticOp::kMinus, a);
}

/// to += from. Same spec. Not recorded.
Status add_into(const Array& from, const Array& to);

/// The shared operation behind add().
OperationRef add_operation();

}  // namespace forebay::ndarray
