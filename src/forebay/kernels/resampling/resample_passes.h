// The passes that resample() and FusedResample consist of. All add taps in order, rounding each product and
// sum once (a fused multiply-add), so a row has the same bits whichever pass made it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/kernels/resampling/resample_axis.h"

namespace forebay::kernels {

/// How many rows the horizontal pass processes at a time.
inline constexpr int kResampleRows = 4;
/// How many floats behind a row of the horizontal pass must be readable and writable.
inline constexpr int kResamplePadding = 4;

/// out[i] = sum_k weights[k] * rows[k][i] for i < size, rounded like round_row_to_even(). <In, Out> is <T,
/// float> or <float, T> for uint8_t, uint16_t, int16_t, float.
template <class In, class Out>
void blend_rows(const In* const* rows, const float* weights, int taps, int64_t size, Out* out);

/// The taps of an output row: rows[first + k] with weights[k], k < count.
struct RowTaps {
  int first = 0;
  int count = 0;
  const float* weights = nullptr;
};

/// blend_rows() for two output rows at a time; faster if they share rows. `a` must begin and end first.
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
/// must have kResamplePadding floats behind them. Values next to the taps, within the axis' support, get
/// weight 0 and must be finite. `scratch`: resample_scratch() floats.
void resample_rows(const HorizontalWindow& window, int count, const float* const* in, float* const* out,
                   float* scratch);

/// How many floats of scratch memory resample_rows() needs; may be 0.
inline size_t resample_scratch(const HorizontalWindow& window) {
  const auto pixels =
      static_cast<size_t>(window.axis->in_size()) + static_cast<size_t>(window.end - window.begin);
  return window.channels == 1 ? kResampleRows * pixels : 0;
}

/// Rounds halves to even and saturates, as resampling does. T: uint8_t, uint16_t, int16_t; float is copied.
template <class T>
void round_row_to_even(const float* in, int64_t size, T* out);

/// The same with halves away from zero.
template <class T>
void round_row(const float* in, int64_t size, T* out);

}  // namespace forebay::kernels
