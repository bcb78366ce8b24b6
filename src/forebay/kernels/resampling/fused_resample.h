// Resize, crop, mirror and normalise in one go, row by row: source rows come top to bottom (from a decoder),
// finished rows go straight to their place in the batch. Bit for bit what resample() to uint8 and then
// crop_mirror_normalize() give. Needs a few rows of scratch, whatever the image's height.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/kernels/image/normalize_row.h"
#include "forebay/kernels/resampling/resample_axis.h"
#include "forebay/kernels/resampling/resample_growing.h"
#include "forebay/memory/scratch.h"

namespace forebay::kernels {

/// Where the result goes, and what is done on the way.
struct FusedOutput {
  void* data = nullptr;
  tensor::DType dtype = tensor::DType::kUint8;  // uint8, int8, float, float16
  bool normalize = false;  // false: data is uint8, the resampled values themselves; constants are not used
  bool planar = false;     // CHW; else HWC
  bool mirror = false;     // of the window
  int channels = 3;        // >= input channels; the surplus is filled with `padding`
  float padding = 0;
  NormalizeConstants constants;
  /// The window of the resampled image that is kept; all when width or height is 0. It must lie inside.
  int window_y = 0;
  int window_x = 0;
  int window_height = 0;
  int window_width = 0;
};

class FusedResample {
 public:
  /// `channels`: of the source rows, 1 to 4. Both axes are copied (they are shared by no one else then).
  /// invalid_argument when the window or the types do not fit; a refusal of working memory. It lives no
  /// longer than the memory::ScratchScope it is made in.
  static Result<FusedResample> make(ResampleAxis vertical, ResampleAxis horizontal, int channels,
                                    const FusedOutput& output);

  /// Rows [next_row(), end_row()) of the source are still wanted, in this order. A row is in_size pixels of
  /// the horizontal axis, interleaved; it is not needed after the call.
  int next_row() const { return next_row_; }
  int end_row() const { return end_row_; }
  bool is_finished() const { return next_row_ >= end_row_; }
  void push_row(const uint8_t* row) { push_columns(row + first_column() * channels_); }

  /// Only columns [first_column(), end_column()) of a row are read: the same, of a row that begins there.
  int first_column() const { return horizontal_.source_begin(); }
  int end_column() const { return horizontal_.source_end(); }
  void push_columns(const uint8_t* row);

 private:
  FusedResample() = default;

  // Output rows in the order in which they begin, and so finish: backwards when the axis is flipped.
  int row_of(int rank) const { return vertical_.is_flipped() ? vertical_.out_size() - 1 - rank : rank; }
  uint8_t* kept_row(int source) {
    return kept_.data() + static_cast<size_t>(source % kept_rows_) * row_size_;
  }
  HorizontalWindow window() const {
    return {&horizontal_, output_.window_x, output_.window_x + output_.window_width, channels_};
  }
  Status make_room();
  void blend_row(int rank);
  void finish_rows();
  void finish_horizontal_first();
  void write_row(const float* values, int out_row);

  ResampleAxis vertical_;
  ResampleAxis horizontal_;
  FusedOutput output_;
  int channels_ = 0;
  int next_row_ = 0;
  int end_row_ = 0;
  int next_rank_ = 0;  // the first output row that lacks taps
  int end_rank_ = 0;
  int blended_rows_ = 0;  // output rows before next_rank_ that wait for the horizontal pass
  int kept_rows_ = 1;     // source rows that an output row may need
  size_t row_size_ = 0;   // values of a source row that are read
  // Working memory, all taken by make().
  memory::ScratchVector<uint8_t> kept_;         // a ring of the last source rows
  memory::ScratchVector<const uint8_t*> taps_;  // rows of it
  memory::ScratchVector<float>
      blended_;  // kResampleRows output rows of in_size pixels before the horizontal pass
  memory::ScratchVector<float> resampled_;  // the same after it
  memory::ScratchVector<float> scratch_;    // of that pass
  bool is_horizontal_first_ = false;        // then none of the rings above is used
  ResampledRows horizontal_rows_;
  memory::ScratchVector<uint8_t> rounded_;  // one row as uint8
};

}  // namespace forebay::kernels
