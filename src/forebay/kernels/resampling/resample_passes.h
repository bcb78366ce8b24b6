// The passes that resample() and FusedResample are made of. All of them add taps in order, each product and
// its sum rounded once (a fused multiply-add), so a row has the same bits whichever of them made it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/kernels/resampling/resample_axis.h"

namespace forebay::kernels {

/// Rows that the horizontal pass works on at once.
inline constexpr int kResampleRows = 4;
/// Floats that must be readable and writable behind a row of the horizontal pass.
inline constexpr int kResamplePadding = 4;

/// out[i] = sum_k weights[k] * rows[k][i] for i < size, rounded as round_row() does. <In, Out> is <T, float>
/// or <float, T> of uint8_t, uint16_t, int16_t, float.
template <class In, class Out>
void blend_rows(const In* const* rows, const float* weights, int taps, int64_t size, Out* out);

/// The taps of an output row: rows[first + k] with weights[k], k < count.
struct RowTaps {
  int first = 0;
  int count = 0;
  const float* weights = nullptr;
};

/// blend_rows() for two output rows at once; quicker where they share rows and `a` begins and ends first.
template <class T>
void blend_row_pair(const T* const* rows, const RowTaps& a, const RowTaps& b, int64_t size, float* out_a,
                    float* out_b);

/// The pixels [begin, end) of the axis' output.
struct HorizontalWindow {
  const ResampleAxis* axis = nullptr;
  int begin = 0;
  int end = 0;
  int channels = 0;
};

/// Resamples `count` <= kResampleRows rows of the axis' in_size pixels; pixel `begin` goes to out[0]. Rows
/// have kResamplePadding behind them. Values beside the taps, within the axis' support, must be finite: they
/// get weight 0. `scratch`: resample_scratch() floats.
void resample_rows(const HorizontalWindow& window, int count, const float* const* in, float* const* out,
                   float* scratch);

/// Floats that resample_rows() needs to work with; may be 0.
inline size_t resample_scratch(const HorizontalWindow& window) {
  const auto pixels =
      static_cast<size_t>(window.axis->in_size()) + static_cast<size_t>(window.end - window.begin);
  return window.channels == 1 ? kResampleRows * pixels : 0;
}

/// Rounds half away from zero and saturates. T: uint8_t, uint16_t, int16_t; float copies.
template <class T>
void round_row(const float* in, int64_t size, T* out);

}  // namespace forebay::kernels
