#include "forebay/kernels/nn/correlation.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/nn/correlation.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef FOREBAY_KERNELS_NN_CORRELATION_ONCE_
#define FOREBAY_KERNELS_NN_CORRELATION_ONCE_
namespace forebay::kernels {

/// How many rows are processed together when `left` remain: fewer sizes than rows, so that there are few
/// loops.
inline int64_t rows_at_once(int64_t left) {
  return left >= 8 ? 8 : left >= 6 ? 6 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

}  // namespace forebay::kernels
#endif  // FOREBAY_KERNELS_NN_CORRELATION_ONCE_

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3
constexpr int kRegisterRows = 8;  // with 3 columns 24 sums, out of 32 registers
#else
constexpr int kRegisterRows = 4;  // 12 sums, out of 16 registers
#endif
constexpr int kColumns = 3;

/// kRows x kVectors sums in registers, over all taps. The weights of consecutive taps are `stride` apart.
template <int kRows, int kVectors, class T>
HWY_INLINE void correlate_block(const T* HWY_RESTRICT signal, const int64_t* HWY_RESTRICT offsets,
                                int64_t taps, const T* HWY_RESTRICT weights, int64_t stride, const T* start,
                                T* HWY_RESTRICT out, int64_t pitch) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      sums[row][v] = start == nullptr ? hn::Zero(d) : hn::Set(d, start[row]);
    }
  }
  for (int64_t tap = 0; tap < taps; ++tap) {
    const T* const from = signal + offsets[tap];
    hn::Vec<decltype(d)> values[kVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      values[v] = hn::LoadU(d, from + v * lanes);
    }
#pragma GCC unroll 8
    for (int row = 0; row < kRows; ++row) {
      const auto weight = hn::Set(d, weights[tap * stride + row]);
#pragma GCC unroll 3
      for (int v = 0; v < kVectors; ++v) {
        sums[row][v] = hn::MulAdd(weight, values[v], sums[row][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[row][v], d, out + row * pitch + v * lanes);
    }
  }
}

template <int kRows, class T>
void correlate_rows(const T* signal, std::span<const int64_t> offsets, const T* weights, int64_t stride,
                    const T* start, int64_t length, T* out, int64_t pitch) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  const auto taps = static_cast<int64_t>(offsets.size());
  int64_t p = 0;
  for (; p + (kColumns - 1) * lanes < length; p += kColumns * lanes) {
    correlate_block<kRows, kColumns>(signal + p, offsets.data(), taps, weights, stride, start, out + p,
                                     pitch);
  }
  for (; p < length; p += lanes) {
    correlate_block<kRows, 1>(signal + p, offsets.data(), taps, weights, stride, start, out + p, pitch);
  }
}

template <class T>
void correlate_any(const T* signal, std::span<const int64_t> offsets, const T* packed, int64_t rows,
                   const T* start, int64_t length, T* out, int64_t pitch) {
  const auto taps = static_cast<int64_t>(offsets.size());
  for (int64_t first = 0; first < rows;) {
    const int64_t group = rows_at_once(rows - first);
    const T* const weights = packed + first * taps;
    for (int64_t row = 0; row < group;) {
      const int64_t count = std::min<int64_t>(rows_at_once(group - row), kRegisterRows);
      const T* const from = weights + row;
      const T* const begin = start == nullptr ? nullptr : start + first + row;
      T* const to = out + (first + row) * pitch;
      switch (count) {
#if HWY_TARGET <= HWY_AVX3
        case 8:
          correlate_rows<8>(signal, offsets, from, group, begin, length, to, pitch);
          break;
        case 6:
          correlate_rows<6>(signal, offsets, from, group, begin, length, to, pitch);
          break;
#endif
        case 4:
          correlate_rows<4>(signal, offsets, from, group, begin, length, to, pitch);
          break;
        case 2:
          correlate_rows<2>(signal, offsets, from, group, begin, length, to, pitch);
          break;
        default:
          correlate_rows<1>(signal, offsets, from, group, begin, length, to, pitch);
      }
      row += count;
    }
    first += group;
  }
}

/// The gradients of kRows x kTaps weights over all samples, kept in registers until they are added up.
template <int kRows, int kTaps, class T>
HWY_INLINE void gradient_block(const CorrelationSamples<T>& samples, int64_t first_row,
                               const int64_t* offsets, int64_t length, T* out, int64_t taps) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sums[kRows][kTaps];
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (int tap = 0; tap < kTaps; ++tap) {
      sums[row][tap] = hn::Zero(d);
    }
  }
  for (int64_t sample = 0; sample < samples.count; ++sample) {
    const T* const signal = samples.signals + sample * samples.signal_pitch;
    const T* const gradients =
        samples.gradients + sample * samples.gradient_pitch + first_row * samples.row_pitch;
    for (int64_t p = 0; p < length; p += lanes) {
      hn::Vec<decltype(d)> values[kTaps];
#pragma GCC unroll 3
      for (int tap = 0; tap < kTaps; ++tap) {
        values[tap] = hn::LoadU(d, signal + offsets[tap] + p);
      }
#pragma GCC unroll 8
      for (int row = 0; row < kRows; ++row) {
        const auto gradient = hn::LoadU(d, gradients + row * samples.row_pitch + p);
#pragma GCC unroll 3
        for (int tap = 0; tap < kTaps; ++tap) {
          sums[row][tap] = hn::MulAdd(gradient, values[tap], sums[row][tap]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 3
    for (int tap = 0; tap < kTaps; ++tap) {
      out[row * taps + tap] += hn::GetLane(hn::SumOfLanes(d, sums[row][tap]));
    }
  }
}

template <int kRows, class T>
void gradient_rows(const CorrelationSamples<T>& samples, std::span<const int64_t> offsets, int64_t first_row,
                   int64_t length, T* out) {
  const auto taps = static_cast<int64_t>(offsets.size());
  T* const to = out + first_row * taps;
  int64_t tap = 0;
  for (; tap + kColumns <= taps; tap += kColumns) {
    gradient_block<kRows, kColumns>(samples, first_row, offsets.data() + tap, length, to + tap, taps);
  }
  for (; tap < taps; ++tap) {
    gradient_block<kRows, 1>(samples, first_row, offsets.data() + tap, length, to + tap, taps);
  }
}

template <class T>
void gradients_any(const CorrelationSamples<T>& samples, std::span<const int64_t> offsets, int64_t rows,
                   int64_t length, T* out) {
  for (int64_t row = 0; row < rows;) {
    const int64_t count = std::min<int64_t>(rows_at_once(rows - row), kRegisterRows);
    switch (count) {
#if HWY_TARGET <= HWY_AVX3
      case 8:
        gradient_rows<8>(samples, offsets, row, length, out);
        break;
      case 6:
        gradient_rows<6>(samples, offsets, row, length, out);
        break;
#endif
      case 4:
        gradient_rows<4>(samples, offsets, row, length, out);
        break;
      case 2:
        gradient_rows<2>(samples, offsets, row, length, out);
        break;
      default:
        gradient_rows<1>(samples, offsets, row, length, out);
    }
    row += count;
  }
}

// Dispatched functions cannot be templates.
void correlate_float(const float* signal, std::span<const int64_t> offsets, const float* packed, int64_t rows,
                     const float* start, int64_t length, float* out, int64_t pitch) {
  correlate_any(signal, offsets, packed, rows, start, length, out, pitch);
}
void correlate_double(const double* signal, std::span<const int64_t> offsets, const double* packed,
                      int64_t rows, const double* start, int64_t length, double* out, int64_t pitch) {
  correlate_any(signal, offsets, packed, rows, start, length, out, pitch);
}
void gradients_float(const CorrelationSamples<float>& samples, std::span<const int64_t> offsets, int64_t rows,
                     int64_t length, float* out) {
  gradients_any(samples, offsets, rows, length, out);
}
void gradients_double(const CorrelationSamples<double>& samples, std::span<const int64_t> offsets,
                      int64_t rows, int64_t length, double* out) {
  gradients_any(samples, offsets, rows, length, out);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
namespace {

HWY_EXPORT(correlate_float);
HWY_EXPORT(correlate_double);
HWY_EXPORT(gradients_float);
HWY_EXPORT(gradients_double);

}  // namespace

template <class T>
void pack_correlation(const T* weights, int64_t rows, int64_t row_pitch, std::span<const int64_t> tap_places,
                      T* packed) {
  for (int64_t first = 0; first < rows;) {
    const int64_t group = rows_at_once(rows - first);
    for (const int64_t place : tap_places) {
      for (int64_t row = first; row < first + group; ++row) {
        *packed++ = weights[row * row_pitch + place];
      }
    }
    first += group;
  }
}

template <class T>
void correlate(const T* signal, std::span<const int64_t> offsets, const T* packed, int64_t rows,
               const T* start, int64_t length, T* out, int64_t pitch) {
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(correlate_float)(signal, offsets, packed, rows, start, length, out, pitch);
  } else {
    HWY_DYNAMIC_DISPATCH(correlate_double)(signal, offsets, packed, rows, start, length, out, pitch);
  }
}

template <class T>
void correlate_gradients(const CorrelationSamples<T>& samples, std::span<const int64_t> offsets, int64_t rows,
                         int64_t length, T* weights_gradient) {
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(gradients_float)(samples, offsets, rows, length, weights_gradient);
  } else {
    HWY_DYNAMIC_DISPATCH(gradients_double)(samples, offsets, rows, length, weights_gradient);
  }
}

#define FOREBAY_INSTANTIATE(T)                                                                          \
  template void pack_correlation(const T*, int64_t, int64_t, std::span<const int64_t>, T*);             \
  template void correlate(const T*, std::span<const int64_t>, const T*, int64_t, const T*, int64_t, T*, \
                          int64_t);                                                                     \
  template void correlate_gradients(const CorrelationSamples<T>&, std::span<const int64_t>, int64_t,    \
                                    int64_t, T*)
FOREBAY_INSTANTIATE(float);
FOREBAY_INSTANTIATE(double);
#undef FOREBAY_INSTANTIATE

}  // namespace forebay::kernels
#endif  // HWY_ONCE
