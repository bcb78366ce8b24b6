// Images that grow: a source row is part of several output rows, so rows are resampled horizontally first,
// each once, and then blended as floats. The order is part of the result's bits: resample() and FusedResample
// take the one that is_horizontal_first() names.
#pragma once

#include <cstddef>

#include "forebay/kernels/image/image_view.h"
#include "forebay/kernels/resampling/resample_passes.h"
#include "forebay/memory/scratch.h"

namespace forebay::kernels {

/// A function of both axes alone: the vertical axis does not shrink, and there is less to do this way.
bool is_horizontal_first(const ResampleAxis& vertical, const ResampleAxis& horizontal);

/// The last few source rows, resampled horizontally. Rows come one by one and are made kResampleRows at once.
class ResampledRows {
 public:
  ResampledRows() = default;
  /// The next row is `first_row`; at least `kept_rows` made rows can be read.
  ResampledRows(const HorizontalWindow& window, int first_row, int kept_rows);

  /// `columns`: the axis' [source_begin, source_end) pixels of the next row. The same window each time.
  template <class T>
  void push(const HorizontalWindow& window, const T* columns);
  /// Makes rows that wait for others.
  void flush(const HorizontalWindow& window);

  /// Rows before this one are made.
  int end_row() const { return end_row_; }

  /// Output row `y` of the vertical axis, from rows that are made, into `size` values: those of the window.
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
  memory::ScratchVector<float> pending_;  // source rows as float, zeros where no output looks
  memory::ScratchVector<float> made_;     // a ring
  memory::ScratchVector<const float*> taps_;
  memory::ScratchVector<float> scratch_;  // of the horizontal pass
};

/// resample_image() for such axes.
template <class In, class Out>
void resample_growing(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                      const MutableImageView<Out>& out);

}  // namespace forebay::kernels
