// Arithmetic on arrays in C++ notation, for code that composes several operations. The first error is kept
// and returned by result().
//
//   const Expression y = output;
//   return (g * (1.0 - y * y)).result();
#pragma once

#include <utility>

#include "forebay/ndarray/algebra/elementwise.h"

namespace forebay::ndarray {

class Expression {
 public:
  Expression(Array array) : array_(std::move(array)) {}
  Expression(Result<Array> made) : array_(std::move(made)) {}

  Result<Array> result() && { return std::move(array_); }
  Result<Array> result() const& { return array_; }

  Expression apply(ArithmeticOp op) const { return array_.ok() ? Expression(unary(op, *array_)) : *this; }
  Expression apply(ArithmeticOp op, const Expression& other) const {
    if (!array_.ok()) {
      return *this;
    }
    return other.array_.ok() ? Expression(binary(op, *array_, *other.array_)) : other;
  }
  Expression apply(ArithmeticOp op, double scalar, bool reversed = false) const {
    return array_.ok() ? Expression(with_scalar(op, *array_, scalar, reversed)) : *this;
  }

 private:
  Result<Array> array_;
};

#define FOREBAY_EXPRESSION_OPERATOR(symbol, op)                                 \
  inline Expression operator symbol(const Expression& a, const Expression& b) { \
    return a.apply(ArithmeticOp::op, b);                                        \
  }                                                                             \
  inline Expression operator symbol(const Expression& a, double b) {            \
    return a.apply(ArithmeticOp::op, b);                                        \
  }                                                                             \
  inline Expression operator symbol(double a, const Expression& b) {            \
    return b.apply(ArithmeticOp::op, a, true);                                  \
  }
FOREBAY_EXPRESSION_OPERATOR(+, kAdd)
FOREBAY_EXPRESSION_OPERATOR(-, kSub)
FOREBAY_EXPRESSION_OPERATOR(*, kMul)
FOREBAY_EXPRESSION_OPERATOR(/, kDiv)
FOREBAY_EXPRESSION_OPERATOR(<, kLess)
FOREBAY_EXPRESSION_OPERATOR(<=, kLessEqual)
FOREBAY_EXPRESSION_OPERATOR(>, kGreater)
FOREBAY_EXPRESSION_OPERATOR(>=, kGreaterEqual)
#undef FOREBAY_EXPRESSION_OPERATOR

inline Expression operator-(const Expression& a) {
  return a.apply(ArithmeticOp::kMinus);
}

}  // namespace forebay::ndarray
