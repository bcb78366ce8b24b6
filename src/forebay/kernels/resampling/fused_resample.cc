#include "forebay/kernels/resampling/fused_resample.h"

#include <algorithm>
#include <array>

#include "forebay/kernels/resampling/resample_passes.h"

namespace forebay::kernels {
namespace {

using tensor::DType;

Status check(const ResampleAxis& vertical, const ResampleAxis& horizontal, int channels,
             const FusedOutput& output) {
  if (channels < 1 || channels > 4 || output.channels < channels) {
    return invalid_argument("a fused resize takes 1 to 4 channels and gives at least as many, not {} and {}",
                            channels, output.channels);
  }
  const bool is_inside = output.window_y >= 0 && output.window_x >= 0 && output.window_height > 0 &&
                         output.window_width > 0 &&
                         output.window_y <= vertical.out_size() - output.window_height &&
                         output.window_x <= horizontal.out_size() - output.window_width;
  if (!is_inside) {
    return invalid_argument("the window {}x{} at ({}, {}) leaves the resized image of {}x{}",
                            output.window_height, output.window_width, output.window_y, output.window_x,
                            vertical.out_size(), horizontal.out_size());
  }
  const DType dtype = output.dtype;
  const bool is_normalized_type =
      dtype == DType::kFloat || dtype == DType::kFloat16 || dtype == DType::kUint8 || dtype == DType::kInt8;
  if (output.normalize ? !is_normalized_type : dtype != DType::kUint8) {
    return invalid_argument("a fused resize gives {}, not {}",
                            output.normalize ? "float, float16, uint8 or int8" : "uint8",
                            tensor::name_of(dtype));
  }
  return ok_status();
}

}  // namespace

Result<FusedResample> FusedResample::make(ResampleAxis vertical, ResampleAxis horizontal, int channels,
                                          const FusedOutput& output) {
  FusedResample fused;
  fused.output_ = output;
  if (output.window_height == 0 || output.window_width == 0) {
    fused.output_.window_y = 0;
    fused.output_.window_x = 0;
    fused.output_.window_height = vertical.out_size();
    fused.output_.window_width = horizontal.out_size();
  }
  FOREBAY_RETURN_IF_ERROR(check(vertical, horizontal, channels, fused.output_));
  fused.vertical_ = std::move(vertical);
  fused.horizontal_ = std::move(horizontal);
  fused.channels_ = channels;
  const int height = fused.output_.window_height;
  fused.next_rank_ = fused.row_of(fused.vertical_.is_flipped() ? fused.output_.window_y + height - 1
                                                               : fused.output_.window_y);
  fused.end_rank_ = fused.next_rank_ + height;
  FOREBAY_RETURN_IF_ERROR(caught([&] { return fused.make_room(); }));
  return fused;
}

// Determines which source rows the window needs, and how many of them at once.
Status FusedResample::make_room() {
  next_row_ = vertical_.in_size();
  end_row_ = 0;
  for (int rank = next_rank_; rank < end_rank_; ++rank) {
    const int row = row_of(rank);
    next_row_ = std::min(next_row_, vertical_.first(row));
    end_row_ = std::max(end_row_, vertical_.first(row) + vertical_.count(row));
    kept_rows_ = std::max(kept_rows_, vertical_.count(row));
  }
  row_size_ = static_cast<size_t>(end_column() - first_column()) * channels_;
  is_horizontal_first_ = is_horizontal_first(vertical_, horizontal_);
  const size_t window_floats = static_cast<size_t>(output_.window_width) * channels_;
  rounded_.resize(window_floats);
  if (is_horizontal_first_) {
    horizontal_rows_ = ResampledRows(window(), next_row_, kept_rows_);
    resampled_.assign(window_floats + kResamplePadding, 0);
    return ok_status();
  }
  kept_.resize(row_size_ * kept_rows_);
  const size_t in_floats = static_cast<size_t>(horizontal_.in_size()) * channels_;
  blended_.assign((in_floats + kResamplePadding) * kResampleRows, 0);
  resampled_.assign((window_floats + kResamplePadding) * kResampleRows, 0);
  taps_.resize(static_cast<size_t>(kept_rows_));
  scratch_.resize(resample_scratch(window()));
  return ok_status();
}

// An output row is made when its last source row has arrived: all its taps are added in one pass over the
// row.
void FusedResample::push_columns(const uint8_t* row) {
  const int source = next_row_++;
  if (is_horizontal_first_) {
    horizontal_rows_.push(window(), row);
    if (is_finished()) {
      horizontal_rows_.flush(window());
    }
    finish_horizontal_first();
    return;
  }
  std::copy_n(row, row_size_, kept_row(source));
  while (next_rank_ < end_rank_ &&
         vertical_.first(row_of(next_rank_)) + vertical_.count(row_of(next_rank_)) <= next_row_) {
    blend_row(next_rank_++);
    if (blended_rows_ == kResampleRows) {
      finish_rows();
    }
  }
  if (is_finished() && blended_rows_ > 0) {
    finish_rows();
  }
}

void FusedResample::finish_horizontal_first() {
  const int64_t window_floats = static_cast<int64_t>(output_.window_width) * channels_;
  for (; next_rank_ < end_rank_; ++next_rank_) {
    const int out = row_of(next_rank_);
    if (vertical_.first(out) + vertical_.count(out) > horizontal_rows_.end_row()) {
      return;
    }
    horizontal_rows_.blend(vertical_, out, window_floats, resampled_.data());
    write_row(resampled_.data(), out - output_.window_y);
  }
}

void FusedResample::blend_row(int rank) {
  const int out = row_of(rank);
  const int taps = vertical_.count(out);
  for (int tap = 0; tap < taps; ++tap) {
    taps_[tap] = kept_row(vertical_.first(out) + tap);
  }
  float* to = blended_.data() + blended_.size() / kResampleRows * blended_rows_++;
  blend_rows(taps_.data(), vertical_.weights(out), taps, static_cast<int64_t>(row_size_),
             to + static_cast<int64_t>(first_column()) * channels_);
}

void FusedResample::finish_rows() {
  std::array<const float*, kResampleRows> in{};
  std::array<float*, kResampleRows> out{};
  for (int row = 0; row < blended_rows_; ++row) {
    in[row] = blended_.data() + blended_.size() / kResampleRows * row;
    out[row] = resampled_.data() + resampled_.size() / kResampleRows * row;
  }
  resample_rows(window(), blended_rows_, in.data(), out.data(), scratch_.data());
  for (int row = 0; row < blended_rows_; ++row) {
    write_row(out[row], row_of(next_rank_ - blended_rows_ + row) - output_.window_y);
  }
  blended_rows_ = 0;
}

void FusedResample::write_row(const float* values, int out_row) {
  const int width = output_.window_width;
  const int64_t row_pixels = static_cast<int64_t>(out_row) * width;
  const int64_t plane = static_cast<int64_t>(output_.window_height) * width;
  const int64_t pixel_stride = output_.planar ? 1 : output_.channels;
  const int64_t channel_stride = output_.planar ? plane : 1;
  const int64_t start = row_pixels * pixel_stride;
  const bool is_plain =
      !output_.normalize && !output_.planar && !output_.mirror && output_.channels == channels_;
  if (is_plain) {
    round_row_to_even(values, static_cast<int64_t>(width) * channels_,
                      static_cast<uint8_t*>(output_.data) + start);
    return;
  }
  const bool is_main_case = output_.normalize && output_.planar && channels_ == 3 && output_.channels == 3 &&
                            output_.dtype == DType::kFloat;
  if (is_main_case) {
    round_normalize_row(values, width, output_.mirror, output_.constants,
                        static_cast<float*>(output_.data) + start, plane);
    return;
  }
  round_row_to_even(values, static_cast<int64_t>(width) * channels_, rounded_.data());
  NormalizeConstants constants = output_.constants;
  if (!output_.normalize) {
    constants.mean.fill(0);
    constants.multiplier.fill(1);
    constants.shift = 0;
  }
  const auto offset = start * static_cast<int64_t>(tensor::size_of(output_.dtype));
  const NormalizedRow target{static_cast<std::byte*>(output_.data) + offset, output_.dtype, pixel_stride,
                             channel_stride};
  normalize_row(rounded_.data(), width, channels_, output_.mirror, constants, target);
  for (int c = channels_; c < output_.channels; ++c) {
    fill_line(output_.dtype, output_.data, start + c * channel_stride, pixel_stride, width, output_.fill, c);
  }
}

}  // namespace forebay::kernels
