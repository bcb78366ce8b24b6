// Stockham passes over rows of lanes: butterflies of radix 2 to 5, sums for other radices. Included once per
// SIMD target.
#if defined(FOREBAY_KERNELS_SIGNAL_FFT_PASSES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOREBAY_KERNELS_SIGNAL_FFT_PASSES_INL_H_
#undef FOREBAY_KERNELS_SIGNAL_FFT_PASSES_INL_H_
#else
#define FOREBAY_KERNELS_SIGNAL_FFT_PASSES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "forebay/kernels/signal/fft_tables.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// A complex element of some lanes.
template <class D>
struct Complex {
  hn::Vec<D> re;
  hn::Vec<D> im;
};

template <class D>
HWY_INLINE Complex<D> sum(Complex<D> a, Complex<D> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class D>
HWY_INLINE Complex<D> difference(Complex<D> a, Complex<D> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
template <class D>
HWY_INLINE Complex<D> times(Complex<D> a, hn::Vec<D> re, hn::Vec<D> im) {
  return {hn::Sub(hn::Mul(a.re, re), hn::Mul(a.im, im)), hn::Add(hn::Mul(a.re, im), hn::Mul(a.im, re))};
}
template <class D>
HWY_INLINE Complex<D> times(D d, Complex<D> a, const FftTwiddle& w) {
  return times<D>(a, hn::Set(d, w.re), hn::Set(d, w.im));
}
template <class D>
HWY_INLINE Complex<D> scaled(D d, Complex<D> a, float factor) {
  const auto f = hn::Set(d, factor);
  return {hn::Mul(a.re, f), hn::Mul(a.im, f)};
}
/// -i a.
template <class D>
HWY_INLINE Complex<D> turned_back(Complex<D> a) {
  return {a.im, hn::Neg(a.re)};
}

/// Rows of complex elements of `kLanes` lines; `offset` is the first lane that is meant.
template <int64_t kLanes, class D>
HWY_INLINE Complex<D> load(D d, const float* rows, int64_t element) {
  return {hn::LoadU(d, rows + 2 * element * kLanes), hn::LoadU(d, rows + (2 * element + 1) * kLanes)};
}
template <int64_t kLanes, class D>
HWY_INLINE void store(D d, Complex<D> value, float* rows, int64_t element) {
  hn::StoreU(value.re, d, rows + 2 * element * kLanes);
  hn::StoreU(value.im, d, rows + (2 * element + 1) * kLanes);
}

/// x[0..kRadix) becomes its transform.
template <class D>
HWY_INLINE void butterfly2(D, Complex<D>* x) {
  const Complex<D> a = x[0];
  x[0] = sum<D>(a, x[1]);
  x[1] = difference<D>(a, x[1]);
}
template <class D>
HWY_INLINE void butterfly4(D, Complex<D>* x) {
  const Complex<D> even_sum = sum<D>(x[0], x[2]);
  const Complex<D> even_difference = difference<D>(x[0], x[2]);
  const Complex<D> odd_sum = sum<D>(x[1], x[3]);
  const Complex<D> odd_difference = turned_back<D>(difference<D>(x[1], x[3]));
  x[0] = sum<D>(even_sum, odd_sum);
  x[1] = sum<D>(even_difference, odd_difference);
  x[2] = difference<D>(even_sum, odd_sum);
  x[3] = difference<D>(even_difference, odd_difference);
}
template <class D>
HWY_INLINE void butterfly3(D d, Complex<D>* x) {
  constexpr float kSine = 0.866025403784438647f;
  const Complex<D> both = sum<D>(x[1], x[2]);
  const Complex<D> turn = turned_back<D>(scaled<D>(d, difference<D>(x[1], x[2]), kSine));
  const Complex<D> centre = difference<D>(x[0], scaled<D>(d, both, 0.5f));
  x[0] = sum<D>(x[0], both);
  x[1] = sum<D>(centre, turn);
  x[2] = difference<D>(centre, turn);
}
template <class D>
HWY_INLINE void butterfly5(D d, Complex<D>* x) {
  constexpr float kCosine1 = 0.309016994374947424f;
  constexpr float kCosine2 = -0.809016994374947424f;
  constexpr float kSine1 = 0.951056516295153572f;
  constexpr float kSine2 = 0.587785252292473129f;
  const Complex<D> outer = sum<D>(x[1], x[4]);
  const Complex<D> outer_turn = difference<D>(x[1], x[4]);
  const Complex<D> inner = sum<D>(x[2], x[3]);
  const Complex<D> inner_turn = difference<D>(x[2], x[3]);
  const Complex<D> centre1 =
      sum<D>(x[0], sum<D>(scaled<D>(d, outer, kCosine1), scaled<D>(d, inner, kCosine2)));
  const Complex<D> centre2 =
      sum<D>(x[0], sum<D>(scaled<D>(d, outer, kCosine2), scaled<D>(d, inner, kCosine1)));
  const Complex<D> turn1 =
      turned_back<D>(sum<D>(scaled<D>(d, outer_turn, kSine1), scaled<D>(d, inner_turn, kSine2)));
  const Complex<D> turn2 =
      turned_back<D>(difference<D>(scaled<D>(d, outer_turn, kSine2), scaled<D>(d, inner_turn, kSine1)));
  x[0] = sum<D>(x[0], sum<D>(outer, inner));
  x[1] = sum<D>(centre1, turn1);
  x[2] = sum<D>(centre2, turn2);
  x[3] = difference<D>(centre2, turn2);
  x[4] = difference<D>(centre1, turn1);
}

/// A pass of the decimation in frequency: `groups` transforms of radix * span elements each, interleaved.
struct Pass {
  int64_t span;    // elements of one transform after the pass
  int64_t stride;  // how many transforms are interleaved
  const FftTwiddle* roots;
  int64_t size;  // of `roots`
};

template <int64_t kRadix, class D>
HWY_INLINE void butterfly(D d, Complex<D>* x) {
  if constexpr (kRadix == 2) {
    butterfly2(d, x);
  } else if constexpr (kRadix == 3) {
    butterfly3(d, x);
  } else if constexpr (kRadix == 4) {
    butterfly4(d, x);
  } else {
    butterfly5(d, x);
  }
}

template <int64_t kLanes, int64_t kRadix, class D>
HWY_INLINE void pass_of(D d, const Pass& pass, const float* HWY_RESTRICT in, float* HWY_RESTRICT out) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t p = 0; p < pass.span; ++p) {
    for (int64_t q = 0; q < pass.stride; ++q) {
      for (int64_t lane = 0; lane < kLanes; lane += lanes) {
        Complex<D> x[kRadix];
        for (int64_t k = 0; k < kRadix; ++k) {
          x[k] = load<kLanes>(d, in + lane, q + pass.stride * (p + pass.span * k));
        }
        butterfly<kRadix>(d, x);
        const int64_t to = q + pass.stride * kRadix * p;
        store<kLanes>(d, x[0], out + lane, to);
        for (int64_t k = 1; k < kRadix; ++k) {
          store<kLanes>(d, p == 0 ? x[k] : times(d, x[k], pass.roots[p * k * pass.stride]), out + lane,
                        to + pass.stride * k);
        }
      }
    }
  }
}

/// The same of one line, whose interleaved transforms have the same roots: as many of them at once as `d` has
/// lanes, of which the pass's stride must be a multiple. The operations on each are those of pass_of().
template <int64_t kRadix, class D>
HWY_INLINE void pass_of_line(D d, const Pass& pass, const float* HWY_RESTRICT in, float* HWY_RESTRICT out) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t p = 0; p < pass.span; ++p) {
    for (int64_t q = 0; q < pass.stride; q += lanes) {
      Complex<D> x[kRadix];
      for (int64_t k = 0; k < kRadix; ++k) {
        hn::LoadInterleaved2(d, in + 2 * (q + pass.stride * (p + pass.span * k)), x[k].re, x[k].im);
      }
      butterfly<kRadix>(d, x);
      float* const to = out + 2 * (q + pass.stride * kRadix * p);
      hn::StoreInterleaved2(x[0].re, x[0].im, d, to);
      for (int64_t k = 1; k < kRadix; ++k) {
        const Complex<D> turned = p == 0 ? x[k] : times(d, x[k], pass.roots[p * k * pass.stride]);
        hn::StoreInterleaved2(turned.re, turned.im, d, to + 2 * pass.stride * k);
      }
    }
  }
}

template <int64_t kLanes, int64_t kRadix, class D>
HWY_INLINE void pass_of_radix(D d, const Pass& pass, const float* HWY_RESTRICT in, float* HWY_RESTRICT out) {
  if constexpr (kLanes == 1) {
    const hn::ScalableTag<float> wide;
    const hn::CappedTag<float, 4> narrow;
    if (pass.stride % static_cast<int64_t>(hn::Lanes(wide)) == 0) {
      pass_of_line<kRadix>(wide, pass, in, out);
      return;
    }
    if (pass.stride % static_cast<int64_t>(hn::Lanes(narrow)) == 0) {
      pass_of_line<kRadix>(narrow, pass, in, out);
      return;
    }
  }
  pass_of<kLanes, kRadix>(d, pass, in, out);
}

/// The same of any radix, by the sums of the definition.
template <int64_t kLanes, class D>
void pass_by_sums(D d, int64_t radix, const Pass& pass, const float* HWY_RESTRICT in,
                  float* HWY_RESTRICT out) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t root_step = pass.size / radix;
  for (int64_t p = 0; p < pass.span; ++p) {
    for (int64_t q = 0; q < pass.stride; ++q) {
      for (int64_t k = 0; k < radix; ++k) {
        for (int64_t lane = 0; lane < kLanes; lane += lanes) {
          Complex<D> total = load<kLanes>(d, in + lane, q + pass.stride * p);
          for (int64_t j = 1; j < radix; ++j) {
            const Complex<D> x = load<kLanes>(d, in + lane, q + pass.stride * (p + pass.span * j));
            total = sum<D>(total, times(d, x, pass.roots[j * k % radix * root_step]));
          }
          store<kLanes>(d, times(d, total, pass.roots[p * k * pass.stride]), out + lane,
                        q + pass.stride * (radix * p + k));
        }
      }
    }
  }
}

template <int64_t kLanes, class D>
void stockham(D d, const ComplexFftPlan& plan, float* data, float* scratch) {
  float* from = data;
  float* to = scratch;
  int64_t span = plan.size;
  int64_t stride = 1;
  for (const int64_t radix : plan.radices) {
    span /= radix;
    const Pass pass{span, stride, plan.roots.data(), plan.size};
    switch (radix) {
      case 2:
        pass_of_radix<kLanes, 2>(d, pass, from, to);
        break;
      case 3:
        pass_of_radix<kLanes, 3>(d, pass, from, to);
        break;
      case 4:
        pass_of_radix<kLanes, 4>(d, pass, from, to);
        break;
      case 5:
        pass_of_radix<kLanes, 5>(d, pass, from, to);
        break;
      default:
        pass_by_sums<kLanes>(d, radix, pass, from, to);
    }
    std::swap(from, to);
    stride *= radix;
  }
  if (from != data) {
    std::copy(from, from + 2 * plan.size * kLanes,
              data);  // copy: an odd number of passes ends beside its place
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOREBAY_KERNELS_SIGNAL_FFT_PASSES_INL_H_
