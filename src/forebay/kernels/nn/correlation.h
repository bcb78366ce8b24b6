// Sums of shifted ranges, the building block of convolutions. A signal is a range of memory that holds all
// channels of a (padded) image; a tap is an offset into it. The result of a row of weights at place p is the
// sum over the taps of weight * signal[offset + p]. So images of any number of dimensions, strides (with one
// plane per phase) and dilations use the same loop over p, always with full vectors.
//
// The order of each sum depends only on the number of taps. Fused multiply-adds are used if the CPU has them,
// so results of different CPUs differ in the last places.
#pragma once

#include <cstdint>
#include <span>

namespace forebay::kernels {

/// How many places behind `length` a kernel may read and write.
constexpr int64_t kCorrelationSlack = 64;

/// Rows of weights that are packed together.
constexpr int64_t kCorrelationRows = 8;

/// Packs weights, with element (row, tap) at weights[row * row_pitch + tap_places[tap]], in the order that
/// correlate() needs: rows * taps elements.
template <class T>
void pack_correlation(const T* weights, int64_t rows, int64_t row_pitch, std::span<const int64_t> tap_places,
                      T* packed);

/// out[row * pitch + p] = start[row] + sum over taps of weight(row, tap) * signal[offsets[tap] + p], for p in
/// [0, length); places up to length + kCorrelationSlack are overwritten with unspecified values. `start` may
/// be null: zeros.
template <class T>
void correlate(const T* signal, std::span<const int64_t> offsets, const T* packed, int64_t rows,
               const T* start, int64_t length, T* out, int64_t pitch);

/// A range of signals and of the gradients of their correlations, one per sample.
template <class T>
struct CorrelationSamples {
  int64_t count = 0;
  const T* signals = nullptr;
  int64_t signal_pitch = 0;  // distance between samples
  /// Row r of a sample is at gradients + sample * gradient_pitch + r * row_pitch; it must be zero from
  /// `length` up to the next multiple of kCorrelationSlack.
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
