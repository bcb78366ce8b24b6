// Stockham passes over rows of lanes, Bluestein's method on top, and real transforms as complex ones of half
// the size.
#include "forebay/kernels/signal/fft.h"

#include <algorithm>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/kernels/signal/fft_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/signal/fft.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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
        if constexpr (kRadix == 2) {
          butterfly2(d, x);
        } else if constexpr (kRadix == 3) {
          butterfly3(d, x);
        } else if constexpr (kRadix == 4) {
          butterfly4(d, x);
        } else {
          butterfly5(d, x);
        }
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
        pass_of<kLanes, 2>(d, pass, from, to);
        break;
      case 3:
        pass_of<kLanes, 3>(d, pass, from, to);
        break;
      case 4:
        pass_of<kLanes, 4>(d, pass, from, to);
        break;
      case 5:
        pass_of<kLanes, 5>(d, pass, from, to);
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

/// Bluestein: X[k] = chirp[k] * sum_n (x[n] chirp[n]) conj(chirp[k - n]), the sum as a cyclic convolution.
template <int64_t kLanes, class D>
void bluestein(D d, const ComplexFftPlan& plan, float* data, float* scratch) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const ComplexFftPlan& inner = *plan.inner;
  float* const work = scratch;
  float* const inner_scratch = scratch + 2 * inner.size * kLanes;
  for (int64_t lane = 0; lane < kLanes; lane += lanes) {
    for (int64_t k = 0; k < plan.size; ++k) {
      store<kLanes>(d, times(d, load<kLanes>(d, data + lane, k), plan.chirp[static_cast<size_t>(k)]),
                    work + lane, k);
    }
  }
  std::fill(work + 2 * plan.size * kLanes, work + 2 * inner.size * kLanes, 0.0f);
  stockham<kLanes>(d, inner, work, inner_scratch);
  for (int64_t lane = 0; lane < kLanes; lane += lanes) {
    for (int64_t k = 0; k < inner.size; ++k) {  // parts swapped: the next transform is then the inverse one
      const Complex<D> product =
          times(d, load<kLanes>(d, work + lane, k), plan.filter[static_cast<size_t>(k)]);
      store<kLanes>(d, Complex<D>{product.im, product.re}, work + lane, k);
    }
  }
  stockham<kLanes>(d, inner, work, inner_scratch);
  for (int64_t lane = 0; lane < kLanes; lane += lanes) {
    for (int64_t k = 0; k < plan.size; ++k) {
      const Complex<D> swapped = load<kLanes>(d, work + lane, k);
      store<kLanes>(d, times(d, Complex<D>{swapped.im, swapped.re}, plan.chirp[static_cast<size_t>(k)]),
                    data + lane, k);
    }
  }
}

template <int64_t kLanes>
void complex_fft_lanes(const ComplexFftPlan& plan, float* data, float* scratch) {
  const hn::CappedTag<float, static_cast<size_t>(kLanes)> d;
  if (plan.is_bluestein()) {
    bluestein<kLanes>(d, plan, data, scratch);
  } else {
    stockham<kLanes>(d, plan, data, scratch);
  }
}

void complex_fft_rows(const ComplexFftPlan& plan, int64_t lanes, float* data, float* scratch) {
  if (lanes == 1) {
    complex_fft_lanes<1>(plan, data, scratch);
  } else {
    complex_fft_lanes<kFftLanes>(plan, data, scratch);
  }
}

template <int64_t kLanes, class D>
HWY_INLINE void store_bin(D d, SpectrumKind kind, Complex<D> value, float* out, int64_t bin) {
  if (kind == SpectrumKind::kComplex) {
    store<kLanes>(d, value, out, bin);
    return;
  }
  const auto power = hn::Add(hn::Mul(value.re, value.re), hn::Mul(value.im, value.im));
  hn::StoreU(kind == SpectrumKind::kPower ? power : hn::Sqrt(power), d, out + bin * kLanes);
}

/// The bins of real lines of even size from the transform of their elements taken in pairs as complex
/// numbers.
template <int64_t kLanes>
void bins_of_pairs(const FftTwiddle* roots, int64_t half, SpectrumKind kind, const float* in, float* out) {
  using D = hn::CappedTag<float, static_cast<size_t>(kLanes)>;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t lane = 0; lane < kLanes; lane += lanes) {
    const Complex<D> first = load<kLanes>(d, in + lane, 0);
    const auto zero = hn::Zero(d);
    store_bin<kLanes>(d, kind, Complex<D>{hn::Add(first.re, first.im), zero}, out + lane, 0);
    store_bin<kLanes>(d, kind, Complex<D>{hn::Sub(first.re, first.im), zero}, out + lane, half);
  }
  for (int64_t k = 1; k <= half - k; ++k) {
    for (int64_t lane = 0; lane < kLanes; lane += lanes) {
      const Complex<D> a = load<kLanes>(d, in + lane, k);
      const Complex<D> b = load<kLanes>(d, in + lane, half - k);
      const Complex<D> even = scaled<D>(d, Complex<D>{hn::Add(a.re, b.re), hn::Sub(a.im, b.im)}, 0.5f);
      const Complex<D> odd = scaled<D>(d, Complex<D>{hn::Add(a.im, b.im), hn::Sub(b.re, a.re)}, 0.5f);
      const Complex<D> turned = times(d, odd, roots[k]);
      store_bin<kLanes>(d, kind, sum<D>(even, turned), out + lane, k);
      if (k != half - k) {
        const Complex<D> mirrored = difference<D>(even, turned);
        store_bin<kLanes>(d, kind, Complex<D>{mirrored.re, hn::Neg(mirrored.im)}, out + lane, half - k);
      }
    }
  }
}

/// The pairs whose transform, with real and imaginary parts swapped, is that of the lines: the other way
/// round.
template <int64_t kLanes>
void pairs_of_bins(const FftTwiddle* roots, int64_t half, const float* in, float* out) {
  using D = hn::CappedTag<float, static_cast<size_t>(kLanes)>;
  const D d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t k = 0; k < half; ++k) {
    for (int64_t lane = 0; lane < kLanes; lane += lanes) {
      Complex<D> a = load<kLanes>(d, in + lane, k);
      Complex<D> b = load<kLanes>(d, in + lane, half - k);
      if (k == 0) {
        a.im = hn::Zero(d);
        b.im = hn::Zero(d);
      }
      const Complex<D> even{hn::Add(a.re, b.re), hn::Sub(a.im, b.im)};
      const Complex<D> turned{hn::Sub(a.re, b.re), hn::Add(a.im, b.im)};
      const Complex<D> odd = times(d, turned, FftTwiddle{roots[k].re, -roots[k].im});
      // even + i odd, its parts swapped.
      store<kLanes>(d, Complex<D>{hn::Add(even.im, odd.re), hn::Sub(even.re, odd.im)}, out + lane, k);
    }
  }
}

/// Rows 2k and 2k + 1 exchanged, in place.
template <int64_t kLanes>
void swap_parts(int64_t size, float* rows) {
  for (int64_t k = 0; k < size; ++k) {
    std::swap_ranges(rows + 2 * k * kLanes, rows + (2 * k + 1) * kLanes, rows + (2 * k + 1) * kLanes);
  }
}

/// Of odd sizes: the bins as they are.
template <int64_t kLanes>
void bins_of_complex(int64_t bins, SpectrumKind kind, const float* in, float* out) {
  const hn::CappedTag<float, static_cast<size_t>(kLanes)> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t k = 0; k < bins; ++k) {
    for (int64_t lane = 0; lane < kLanes; lane += lanes) {
      store_bin<kLanes>(d, kind, load<kLanes>(d, in + lane, k), out + lane, k);
    }
  }
}

template <int64_t kLanes>
void forward_lanes(const ComplexFftPlan& plan, const FftTwiddle* roots, int64_t size, SpectrumKind kind,
                   float* in, float* out, float* scratch) {
  if (size % 2 == 0) {
    complex_fft_lanes<kLanes>(plan, in, scratch);
    bins_of_pairs<kLanes>(roots, size / 2, kind, in, out);
    return;
  }
  float* const rows = scratch;
  for (int64_t n = 0; n < size; ++n) {
    std::copy(in + n * kLanes, in + (n + 1) * kLanes, rows + 2 * n * kLanes);  // copy: real parts among zeros
    std::fill(rows + (2 * n + 1) * kLanes, rows + (2 * n + 2) * kLanes, 0.0f);
  }
  complex_fft_lanes<kLanes>(plan, rows, scratch + 2 * size * kLanes);
  bins_of_complex<kLanes>(size / 2 + 1, kind, rows, out);
}

template <int64_t kLanes>
void inverse_lanes(const ComplexFftPlan& plan, const FftTwiddle* roots, int64_t size, const float* in,
                   float* out, float* scratch) {
  if (size % 2 == 0) {
    pairs_of_bins<kLanes>(roots, size / 2, in, out);
    complex_fft_lanes<kLanes>(plan, out, scratch);
    swap_parts<kLanes>(size / 2, out);
    return;
  }
  float* const rows = scratch;  // all bins, their parts swapped
  std::copy(in, in + kLanes, rows + kLanes);
  std::fill(rows, rows + kLanes, 0.0f);
  for (int64_t k = 1; k <= size / 2; ++k) {
    const float* const re = in + 2 * k * kLanes;
    const float* const im = re + kLanes;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      rows[2 * k * kLanes + lane] = im[lane];
      rows[(2 * k + 1) * kLanes + lane] = re[lane];
      rows[2 * (size - k) * kLanes + lane] = -im[lane];
      rows[(2 * (size - k) + 1) * kLanes + lane] = re[lane];
    }
  }
  complex_fft_lanes<kLanes>(plan, rows, scratch + 2 * size * kLanes);
  for (int64_t n = 0; n < size; ++n) {
    std::copy(rows + (2 * n + 1) * kLanes, rows + (2 * n + 2) * kLanes,
              out + n * kLanes);  // copy: real parts
  }
}

void forward_rows(const ComplexFftPlan& plan, const FftTwiddle* roots, int64_t size, SpectrumKind kind,
                  int64_t lanes, float* in, float* out, float* scratch) {
  if (lanes == 1) {
    forward_lanes<1>(plan, roots, size, kind, in, out, scratch);
  } else {
    forward_lanes<kFftLanes>(plan, roots, size, kind, in, out, scratch);
  }
}

void inverse_rows(const ComplexFftPlan& plan, const FftTwiddle* roots, int64_t size, int64_t lanes,
                  const float* in, float* out, float* scratch) {
  if (lanes == 1) {
    inverse_lanes<1>(plan, roots, size, in, out, scratch);
  } else {
    inverse_lanes<kFftLanes>(plan, roots, size, in, out, scratch);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
HWY_EXPORT(complex_fft_rows);
HWY_EXPORT(forward_rows);
HWY_EXPORT(inverse_rows);

void complex_fft(const ComplexFftPlan& plan, int64_t lanes, float* data, float* scratch) {
  HWY_DYNAMIC_DISPATCH(complex_fft_rows)(plan, lanes, data, scratch);
}

struct RealFft::Tables {
  ComplexFftPlan plan;            // of half the size, if that is even
  std::vector<FftTwiddle> roots;  // of the real size, the first half
};

RealFft::RealFft(int64_t size) : size_(size) {
  FOREBAY_CHECK(size >= 1 && size <= kLargestSize);
  auto tables = std::make_unique<Tables>();
  tables->plan = complex_fft_plan(size % 2 == 0 ? size / 2 : size);
  for (int64_t k = 0; size % 2 == 0 && k < size / 2; ++k) {
    tables->roots.push_back(root_of_unity(k, size));
  }
  tables_ = std::move(tables);
}

RealFft::~RealFft() = default;
RealFft::RealFft(RealFft&&) noexcept = default;
RealFft& RealFft::operator=(RealFft&&) noexcept = default;

int64_t RealFft::scratch_rows() const {
  return 2 * (tables_->plan.scratch_size() + (size_ % 2 == 0 ? 0 : size_));
}

void RealFft::forward(SpectrumKind kind, int64_t lanes, float* in, float* out, float* scratch) const {
  FOREBAY_CHECK(lanes == 1 || lanes == kFftLanes);
  HWY_DYNAMIC_DISPATCH(forward_rows)
  (tables_->plan, tables_->roots.data(), size_, kind, lanes, in, out, scratch);
}

void RealFft::inverse(int64_t lanes, const float* in, float* out, float* scratch) const {
  FOREBAY_CHECK(lanes == 1 || lanes == kFftLanes);
  HWY_DYNAMIC_DISPATCH(inverse_rows)(tables_->plan, tables_->roots.data(), size_, lanes, in, out, scratch);
}

}  // namespace forebay::kernels
#endif  // HWY_ONCE
