// Bluestein's method, and real transforms as complex ones of half the size.
#include "forebay/kernels/signal/fft.h"

#include <algorithm>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/kernels/signal/fft_tables.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/signal/fft.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/signal/fft_passes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

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
  tables->roots.reserve(static_cast<size_t>(size % 2 == 0 ? size / 2 : 0));
  for (int64_t k = 0; size % 2 == 0 && k < size / 2; ++k) {
    tables->roots.push_back(root_of_unity(k, size));
  }
  tables_ = std::move(tables);
}

int64_t RealFft::table_bytes(int64_t size) {
  const int64_t half = size / 2;
  return size % 2 == 0 ? complex_fft_bytes(half) + static_cast<int64_t>(sizeof(FftTwiddle)) * half
                       : complex_fft_bytes(size);
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
