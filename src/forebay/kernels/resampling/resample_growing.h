// Enlarging images: a source row contributes to several output rows, so each row is first resampled
// horizontally, once, and then blended in float. The order affects the result's bits: resample() and
// FusedResample follow is_horizontal_first().
#pragma once

#include <cstddef>

#include "forebay/kernels/pixels/image_view.h"
#include "forebay/kernels/resampling/resample_passes.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {

/// Depends only on the two axes: true if the vertical axis does not shrink and this order is less work.
bool is_horizontal_first(const ResampleAxis& vertical, const ResampleAxis& horizontal);

/// The latest source rows, resampled horizontally. Rows arrive one at a time and are resampled kResampleRows
/// at a time.
class ResampledRows {
 public:
  ResampledRows() = default;
  /// The first row will be `first_row`; at least `kept_rows` resampled rows stay available.
  ResampledRows(const HorizontalWindow& window, int first_row, int kept_rows);

  /// `columns`: the pixels [source_begin, source_end) of the axis in the next row. The window must be the
  /// same in each call.
  template <class T>
  void push(const HorizontalWindow& window, const T* columns);
  /// Resamples rows that still wait for others.
  void flush(const HorizontalWindow& window);

  /// Rows before this one have been resampled.
  int end_row() const { return end_row_; }

  /// Blends output row `y` of the vertical axis from resampled rows into `size` values, those of the window.
  template <class Out>
  void blend(const ResampleAxis& vertical, int y, int64_t size, Out* out);

 private:
  const float* row(int source) const { return made_.data() + (source % ring_rows_) * row_size_; }
  float* pending_row(int index) { return pending_.data() + index * pending_size_; }

  int end_row_ = 0;
  int pending_rows_ = 0;
  int ring_rows_ = 1;
  size_t row_size_ = 0;
  size_t pending_size_ = 0;
  memory::ScratchVector<float> pending_;  // source rows as float, with zeros in unused places
  memory::ScratchVector<float> made_;     // a ring of resampled rows
  memory::ScratchVector<const float*> taps_;
  memory::ScratchVector<float> scratch_;  // for the horizontal pass
};

/// resample_image() for axes with is_horizontal_first().
template <class In, class Out>
void resample_growing(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                      const MutableImageView<Out>& out);

}  // namespace forebay::kernels
