// Elementary functions of float vectors, without fused multiply-adds: the same bits on every target. Included
// once per SIMD target.
#if defined(FOREBAY_KERNELS_ACTIVATION_FUNCTIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOREBAY_KERNELS_ACTIVATION_FUNCTIONS_INL_H_
#undef FOREBAY_KERNELS_ACTIVATION_FUNCTIONS_INL_H_
#else
#define FOREBAY_KERNELS_ACTIVATION_FUNCTIONS_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// c[0] + c[1] x + c[2] x^2 ...
template <class D, class V, size_t kCount>
HWY_INLINE V polynomial(D d, V x, const float (&c)[kCount]) {
  V sum = hn::Set(d, c[kCount - 1]);
  for (size_t i = kCount - 1; i-- > 0;) {
    sum = hn::Add(hn::Mul(sum, x), hn::Set(d, c[i]));
  }
  return sum;
}

/// 2^n for integers n in [-126, 127].
template <class D, class I>
HWY_INLINE hn::Vec<D> power_of_two(D d, I n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

/// x = n ln 2 + r with |r| <= ln(2) / 2, for |x| < 2^20.
template <class D>
struct Reduced {
  hn::Vec<hn::RebindToSigned<D>> n;
  hn::Vec<D> r;
};

template <class D, class V>
HWY_INLINE Reduced<D> reduce(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V shifter = hn::Set(d, 12582912.0f);  // 1.5 * 2^23: adding it rounds a number to an integer
  const V shifted = hn::Add(hn::Mul(x, hn::Set(d, 1.44269504f)), shifter);
  const V n = hn::Sub(shifted, shifter);
  const V high = hn::Sub(x, hn::Mul(n, hn::Set(d, 0.693359375f)));  // 9 bits: the product is exact
  const V r = hn::Sub(high, hn::Mul(n, hn::Set(d, -2.12194440e-4f)));
  return {hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, shifter)), r};
}

/// e^r - 1 for |r| <= ln(2) / 2.
template <class D, class V>
HWY_INLINE V small_expm1(D d, V r) {
  constexpr float kTail[] = {0.49999993412f, 0.16666520108f, 0.04166839422f, 0.00836878042f, 0.00138144669f};
  return hn::Add(r, hn::Mul(hn::Mul(r, r), polynomial(d, r, kTail)));
}

template <class D, class V>
// Keeps NaN, because NaN is passed as the second operand.
HWY_INLINE V limited(D d, V x, float low, float high) {
  return hn::Max(hn::Set(d, low), hn::Min(hn::Set(d, high), x));
}

template <class D, class V>
HWY_INLINE V exp_of(D d, V x) {
  const auto reduced = reduce(d, limited(d, x, -104.0f, 89.0f));
  const auto half = hn::ShiftRight<1>(reduced.n);
  const V value = hn::Add(hn::Set(d, 1.0f), small_expm1(d, reduced.r));
  // In two steps, because 2^n itself may not be a normal number.
  return hn::Mul(hn::Mul(value, power_of_two(d, half)), power_of_two(d, hn::Sub(reduced.n, half)));
}

/// e^x - 1 for x <= 88.
template <class D, class V>
HWY_INLINE V expm1_below(D d, V x) {
  const auto reduced = reduce(d, limited(d, x, -87.0f, 88.0f));
  const V power = power_of_two(d, reduced.n);
  return hn::Add(hn::Mul(power, small_expm1(d, reduced.r)), hn::Sub(power, hn::Set(d, 1.0f)));
}

template <class D, class V>
HWY_INLINE V expm1_of(D d, V x) {
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, 40.0f)), exp_of(d, x), expm1_below(d, x));
}

/// log(x) for normal x > 0: with x = 2^k (1 + f), s = f / (2 + f), log(1 + f) = f - f^2/2 + s (f^2/2 + R).
template <class D, class V>
HWY_INLINE V log_of_normal(D d, V x) {
  constexpr float kSeries[] = {0.66666665641f, 0.40000336219f, 0.28537238327f, 0.23583568814f};
  const hn::RebindToSigned<D> di;
  const auto root_half = hn::Set(di, 0x3f3504f3);  // sqrt(1/2)
  const auto bits = hn::Add(hn::BitCast(di, x), hn::Sub(hn::Set(di, 0x3f800000), root_half));
  const V k = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<23>(bits), hn::Set(di, 127)));
  const V one_and_f = hn::BitCast(d, hn::Add(hn::And(bits, hn::Set(di, 0x007fffff)), root_half));
  const V f = hn::Sub(one_and_f, hn::Set(d, 1.0f));
  const V s = hn::Div(f, hn::Add(hn::Set(d, 2.0f), f));
  const V z = hn::Mul(s, s);
  const V rest = hn::Mul(z, polynomial(d, z, kSeries));
  const V half_square = hn::Mul(hn::Set(d, 0.5f), hn::Mul(f, f));
  const V low = hn::Add(hn::Mul(s, hn::Add(half_square, rest)), hn::Mul(k, hn::Set(d, -2.12194440e-4f)));
  return hn::Add(hn::Mul(k, hn::Set(d, 0.693359375f)), hn::Sub(f, hn::Sub(half_square, low)));
}

template <class D, class V>
HWY_INLINE V log_of(D d, V x) {
  const V infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto is_tiny = hn::Lt(x, hn::Set(d, std::numeric_limits<float>::min()));
  const V scaled = hn::IfThenElse(is_tiny, hn::Mul(x, hn::Set(d, 8388608.0f)), x);
  const V shift = hn::IfThenElseZero(is_tiny, hn::Set(d, 15.9423847f));  // 23 ln 2
  V result = hn::Sub(log_of_normal(d, scaled), shift);
  result = hn::IfThenElse(hn::Lt(x, infinity), result, x);  // infinity and NaN map to themselves
  result = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), result);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Set(d, std::numeric_limits<float>::quiet_NaN()), result);
}

/// log(1 + u) for u in [0, 1].
template <class D, class V>
HWY_INLINE V log1p_of_unit(D d, V u) {
  const V one = hn::Set(d, 1.0f);
  const V w = hn::Add(one, u);
  const V lost = hn::Sub(u, hn::Sub(w, one));  // what rounding 1 + u has lost
  return hn::Add(log_of_normal(d, w), hn::Div(lost, w));
}

template <class D, class V>
HWY_INLINE V log1p_of(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V w = hn::Add(one, x);
  const V lost = hn::Div(hn::Sub(x, hn::Sub(w, one)), w);
  const auto has_remainder = hn::And(hn::Gt(w, hn::Zero(d)), hn::Lt(x, hn::Set(d, 1e30f)));
  const V value = hn::Add(log_of(d, w), hn::IfThenElseZero(has_remainder, lost));
  return hn::IfThenElse(hn::Eq(w, one), x, value);
}

template <class D, class V>
HWY_INLINE V sigmoid_of(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V z = exp_of(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), z, one), hn::Add(one, z));
}

template <class D, class V>
HWY_INLINE V tanh_of(D d, V x) {
  const V e = expm1_below(d, hn::Mul(hn::Set(d, -2.0f), hn::Abs(x)));
  return hn::CopySign(hn::Div(e, hn::Add(e, hn::Set(d, 2.0f))), x);
}

template <class D, class V>
HWY_INLINE V softrelu_of(D d, V x) {
  return hn::Add(hn::Max(hn::Zero(d), x), log1p_of_unit(d, exp_of(d, hn::Neg(hn::Abs(x)))));
}

template <class D, class V>
HWY_INLINE V softsign_of(D d, V x) {
  return hn::Div(x, hn::Add(hn::Set(d, 1.0f), hn::Abs(x)));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#endif
