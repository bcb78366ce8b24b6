#include <cmath>
#include <cstdint>

#include "forebay/kernels/arithmetic/blocks.h"

namespace forebay::kernels {
namespace {

template <class T, class F>
void each(const T* a, int size, T* out, F&& function) {
  for (int i = 0; i < size; ++i) {
    out[i] = function(a[i]);
  }
}

/// std::floor() without a call, which it is on old targets, and with the sign of zeros.
float floor_of(float value) {
  constexpr float kWhole = 8388608.0f;  // from here on floats have no fraction
  const bool is_small = std::abs(value) < kWhole;
  const auto whole = static_cast<float>(static_cast<int32_t>(is_small ? value : 0.0f));
  const float floor = std::copysign(whole - (whole > value ? 1.0f : 0.0f), value);
  return is_small ? floor : value;
}
double floor_of(double value) {
  return std::floor(value);
}

template <class T>
void apply_trigonometric(ArithmeticOp op, const T* a, int size, T* out) {
  switch (op) {
    case ArithmeticOp::kSin:
      return each(a, size, out, [](T x) { return std::sin(x); });
    case ArithmeticOp::kCos:
      return each(a, size, out, [](T x) { return std::cos(x); });
    case ArithmeticOp::kTan:
      return each(a, size, out, [](T x) { return std::tan(x); });
    case ArithmeticOp::kAsin:
      return each(a, size, out, [](T x) { return std::asin(x); });
    case ArithmeticOp::kAcos:
      return each(a, size, out, [](T x) { return std::acos(x); });
    case ArithmeticOp::kAtan:
      return each(a, size, out, [](T x) { return std::atan(x); });
    case ArithmeticOp::kSinh:
      return each(a, size, out, [](T x) { return std::sinh(x); });
    case ArithmeticOp::kCosh:
      return each(a, size, out, [](T x) { return std::cosh(x); });
    case ArithmeticOp::kTanh:
      return each(a, size, out, [](T x) { return std::tanh(x); });
    case ArithmeticOp::kAsinh:
      return each(a, size, out, [](T x) { return std::asinh(x); });
    case ArithmeticOp::kAcosh:
      return each(a, size, out, [](T x) { return std::acosh(x); });
    default:
      return each(a, size, out, [](T x) { return std::atanh(x); });
  }
}

template <class T>
void apply(ArithmeticOp op, const T* a, const T* b, int size, T* out) {
  switch (op) {
    case ArithmeticOp::kFabs:
      return each(a, size, out, [](T x) { return std::abs(x); });
    case ArithmeticOp::kFloor:
      return each(a, size, out, [](T x) { return floor_of(x); });
    case ArithmeticOp::kCeil:
      return each(a, size, out, [](T x) { return -floor_of(-x); });
    case ArithmeticOp::kSqrt:
      return each(a, size, out, [](T x) { return std::sqrt(x); });
    case ArithmeticOp::kRsqrt:
      return each(a, size, out, [](T x) { return 1 / std::sqrt(x); });
    case ArithmeticOp::kCbrt:
      return each(a, size, out, [](T x) { return std::cbrt(x); });
    case ArithmeticOp::kExp:
      return each(a, size, out, [](T x) { return std::exp(x); });
    case ArithmeticOp::kLog:
      return each(a, size, out, [](T x) { return std::log(x); });
    case ArithmeticOp::kLog2:
      return each(a, size, out, [](T x) { return std::log2(x); });
    case ArithmeticOp::kLog10:
      return each(a, size, out, [](T x) { return std::log10(x); });
    case ArithmeticOp::kFpow:
      for (int i = 0; i < size; ++i) {
        out[i] = std::pow(a[i], b[i]);
      }
      return;
    case ArithmeticOp::kAtan2:
      for (int i = 0; i < size; ++i) {
        out[i] = std::atan2(a[i], b[i]);
      }
      return;
    default:
      return apply_trigonometric(op, a, size, out);
  }
}

}  // namespace

void apply_function(ArithmeticOp op, const float* a, const float* b, int size, float* out) {
  apply(op, a, b, size, out);
}
void apply_function(ArithmeticOp op, const double* a, const double* b, int size, double* out) {
  apply(op, a, b, size, out);
}

}  // namespace forebay::kernels
