#include "forebay/kernels/activation/activation.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/activation/activation.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/activation/functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

/// out[i] = f(a[i], b[i]). The tail goes through a buffer, so it is computed like the rest.
template <class F>
HWY_INLINE void transform(const float* a, const float* b, int64_t count, float* out, F f) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(f(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  }
  if (i < count) {
    HWY_ALIGN float left[hn::MaxLanes(d)] = {};
    HWY_ALIGN float right[hn::MaxLanes(d)] = {};
    std::copy(a + i, a + count, left);
    std::copy(b + i, b + count, right);
    hn::Store(f(d, hn::Load(d, left), hn::Load(d, right)), d, left);
    std::copy(left, left + (count - i), out + i);
  }
}

#define FOREBAY_EVALUATE(expression) \
  transform(in, in, count, out, [](auto d, auto x, auto) HWY_ATTR { return expression; })

void evaluate_floats(Function function, const float* in, int64_t count, float* out) {
  switch (function) {
    case Function::kExp:
      return FOREBAY_EVALUATE(exp_of(d, x));
    case Function::kExpm1:
      return FOREBAY_EVALUATE(expm1_of(d, x));
    case Function::kLog:
      return FOREBAY_EVALUATE(log_of(d, x));
    case Function::kLog1p:
      return FOREBAY_EVALUATE(log1p_of(d, x));
    case Function::kRelu:
      return FOREBAY_EVALUATE(hn::Max(hn::Zero(d), x));
    case Function::kSigmoid:
      return FOREBAY_EVALUATE(sigmoid_of(d, x));
    case Function::kTanh:
      return FOREBAY_EVALUATE(tanh_of(d, x));
    case Function::kSoftrelu:
      return FOREBAY_EVALUATE(softrelu_of(d, x));
    case Function::kSoftsign:
      return FOREBAY_EVALUATE(softsign_of(d, x));
  }
}
#undef FOREBAY_EVALUATE

#define FOREBAY_DERIVE(expression) \
  transform(gradient, output, count, out, [](auto d, auto g, auto y) HWY_ATTR { return expression; })

void derive_floats(Function function, const float* gradient, const float* output, int64_t count, float* out) {
  switch (function) {
    case Function::kRelu:
      return FOREBAY_DERIVE(hn::IfThenElseZero(hn::Gt(y, hn::Zero(d)), g));
    case Function::kSigmoid:
      return FOREBAY_DERIVE(hn::Mul(g, hn::Mul(y, hn::Sub(hn::Set(d, 1.0f), y))));
    case Function::kTanh:
      return FOREBAY_DERIVE(hn::Mul(g, hn::Sub(hn::Set(d, 1.0f), hn::Mul(y, y))));
    case Function::kSoftrelu:
      return FOREBAY_DERIVE(hn::Neg(hn::Mul(g, expm1_below(d, hn::Neg(y)))));
    case Function::kSoftsign: {
      return transform(gradient, output, count, out, [](auto d, auto g, auto y) HWY_ATTR {
        const auto rest = hn::Sub(hn::Set(d, 1.0f), hn::Abs(y));
        return hn::Mul(g, hn::Mul(rest, rest));
      });
    }
    default:
      return FOREBAY_DERIVE((static_cast<void>(d), hn::Mul(g, y)));
  }
}
#undef FOREBAY_DERIVE

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
namespace {

HWY_EXPORT(evaluate_floats);
HWY_EXPORT(derive_floats);

double sigmoid(double x) {
  const double z = std::exp(-std::abs(x));
  return (x < 0 ? z : 1) / (1 + z);
}

double value_of(Function function, double x) {
  switch (function) {
    case Function::kExp:
      return std::exp(x);
    case Function::kExpm1:
      return std::expm1(x);
    case Function::kLog:
      return std::log(x);
    case Function::kLog1p:
      return std::log1p(x);
    case Function::kRelu:
      return x < 0 ? 0 : x;
    case Function::kSigmoid:
      return sigmoid(x);
    case Function::kTanh:
      return std::tanh(x);
    case Function::kSoftrelu:
      return (x < 0 ? 0 : x) + std::log1p(std::exp(-std::abs(x)));
    case Function::kSoftsign:
      return x / (1 + std::abs(x));
  }
  return x;
}

double derivative_of(Function function, double y) {
  switch (function) {
    case Function::kRelu:
      return y > 0 ? 1 : 0;
    case Function::kSigmoid:
      return y * (1 - y);
    case Function::kTanh:
      return 1 - y * y;
    case Function::kSoftrelu:
      return -std::expm1(-y);
    case Function::kSoftsign:
      return (1 - std::abs(y)) * (1 - std::abs(y));
    default:
      return y;
  }
}

}  // namespace

void evaluate(Function function, const float* in, int64_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(evaluate_floats)(function, in, count, out);
}

void evaluate(Function function, const double* in, int64_t count, double* out) {
  std::transform(in, in + count, out, [=](double x) { return value_of(function, x); });
}

void multiply_by_derivative(Function function, const float* gradient, const float* output, int64_t count,
                            float* out) {
  HWY_DYNAMIC_DISPATCH(derive_floats)(function, gradient, output, count, out);
}

void multiply_by_derivative(Function function, const double* gradient, const double* output, int64_t count,
                            double* out) {
  std::transform(gradient, gradient + count, output, out,
                 [=](double g, double y) { return g * derivative_of(function, y); });
}

}  // namespace forebay::kernels
#endif  // HWY_ONCE
