// Resizes, crops, mirrors and normalises in one go, row by row: source rows arrive top to bottom (from a
// decoder), and finished rows go straight to their place in the batch. The result equals that of resample()
// to uint8 followed by crop_mirror_normalize(), bit for bit. Needs a few rows of scratch memory, whatever the
// image's height.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/fill.h"
#include "forebay/kernels/pixels/normalize_row.h"
#include "forebay/kernels/resampling/resample_axis.h"
#include "forebay/kernels/resampling/resample_growing.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {

/// Where the result goes, and how it is processed.
struct FusedOutput {
  void* data = nullptr;
  tensor::DType dtype = tensor::DType::kUint8;  // uint8, int8, float, float16
  bool normalize = false;  // false: data is uint8 and holds the resampled values; constants are not used
  bool planar = false;     // CHW; else HWC
  bool mirror = false;     // within the window
  int channels = 3;        // at least the input's channels; additional ones are filled
  FillValues fill;
  NormalizeConstants constants;
  /// The window of the resampled image to keep; all of it if width or height is 0. Must lie inside the image.
  int window_y = 0;
  int window_x = 0;
  int window_height = 0;
  int window_width = 0;
};

class FusedResample {
 public:
  /// `channels`: of the source rows, 1 to 4. Both axes are copied. invalid_argument if the window or the
  /// types do not fit; also returns refusals of scratch memory. Must not outlive the memory::ScratchScope in
  /// which it is made.
  static Result<FusedResample> make(ResampleAxis vertical, ResampleAxis horizontal, int channels,
                                    const FusedOutput& output);

  /// Source rows [next_row(), end_row()) are still needed, in this order. A row has in_size pixels of the
  /// horizontal axis, interleaved, and is not needed after the call.
  int next_row() const { return next_row_; }
  int end_row() const { return end_row_; }
  bool is_finished() const { return next_row_ >= end_row_; }
  void push_row(const uint8_t* row) { push_columns(row + first_column() * channels_); }

  /// Only the columns [first_column(), end_column()) of a row are read; push_columns() takes a row that
  /// starts at first_column().
  int first_column() const { return horizontal_.source_begin(); }
  int end_column() const { return horizontal_.source_end(); }
  void push_columns(const uint8_t* row);

 private:
  FusedResample() = default;

  // The output row with that rank in starting order, which is also the finishing order: reversed if the axis
  // is flipped.
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
  int next_rank_ = 0;  // the first output row that still lacks taps
  int end_rank_ = 0;
  int blended_rows_ = 0;  // output rows before next_rank_ that await the horizontal pass
  int kept_rows_ = 1;     // how many source rows an output row may need
  size_t row_size_ = 0;   // how many values of a source row are read
  // Scratch memory, all allocated by make().
  memory::ScratchVector<uint8_t> kept_;         // a ring of the latest source rows
  memory::ScratchVector<const uint8_t*> taps_;  // pointers to its rows
  memory::ScratchVector<float>
      blended_;  // kResampleRows output rows of in_size pixels, before the horizontal pass
  memory::ScratchVector<float> resampled_;  // the same after it
  memory::ScratchVector<float> scratch_;    // for the horizontal pass
  bool is_horizontal_first_ = false;        // if so, none of the rings above is used
  ResampledRows horizontal_rows_;
  memory::ScratchVector<uint8_t> rounded_;  // one row as uint8
};

}  // namespace forebay::kernels
