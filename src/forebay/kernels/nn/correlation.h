// Sums of shifted ranges: what convolutions are made of. A signal is a stretch of memory in which all
// channels of a (padded) image lie; a tap is an offset into it. The result of a row of weights at place p is
// the sum over the taps of weight * signal[offset + p], so images of any number of dimensions, strides (by
// one plane a phase) and dilations are the same loop over p, always over full vectors.
//
// The order of each sum depends on the number of taps alone. With fused multiply-adds where the CPU has them:
// results of different CPUs differ in the last places.
#pragma once

#include <cstdint>
#include <span>

namespace forebay::kernels {

/// Places that a kernel may read and write behind `length`.
constexpr int64_t kCorrelationSlack = 64;

/// Weights in the order in which correlate() reads them.
constexpr int64_t kCorrelationRows = 8;

/// Brings weights, element (row, tap) at weights[row * row_pitch + tap_places[tap]], into the order that
/// correlate() wants: rows * taps elements.
template <class T>
void pack_correlation(const T* weights, int64_t rows, int64_t row_pitch, std::span<const int64_t> tap_places,
                      T* packed);

/// out[row * pitch + p] = start[row] + sum over taps of weight(row, tap) * signal[offsets[tap] + p], for p in
/// [0, length); places up to length + kCorrelationSlack are overwritten with no matter what. `start` may be
/// null: zeros.
template <class T>
void correlate(const T* signal, std::span<const int64_t> offsets, const T* packed, int64_t rows,
               const T* start, int64_t length, T* out, int64_t pitch);

/// A range of signals and of the gradients of their correlations, one a sample.
template <class T>
struct CorrelationSamples {
  int64_t count = 0;
  const T* signals = nullptr;
  int64_t signal_pitch = 0;  // from one sample to the next
  /// Row r of a sample: at gradients + sample * gradient_pitch + r * row_pitch; zero from `length` up to the
  /// next multiple of kCorrelationSlack.
  const T* gradients = nullptr;
  int64_t gradient_pitch = 0;
  int64_t row_pitch = 0;
};

/// weights_gradient[row * taps + tap] += sum over samples and p of gradient(row)[p] * signal[offsets[tap] +
/// p].
template <class T>
void correlate_gradients(const CorrelationSamples<T>& samples, std::span<const int64_t> offsets, int64_t rows,
                         int64_t length, T* weights_gradient);

}  // namespace forebay::kernels
