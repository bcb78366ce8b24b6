#include "forebay/kernels/image/fused_resample.h"

#include <algorithm>
#include <array>

#include "forebay/kernels/generic/convert.h"
#include "forebay/kernels/image/resample_passes.h"

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

template <class T>
void fill_strided(void* data, int64_t offset, int64_t stride, int64_t count, float value) {
  T* at = static_cast<T*>(data) + offset;
  const T filling = convert_saturated<T>(value);
  for (int64_t i = 0; i < count; ++i) {
    at[i * stride] = filling;
  }
}

void fill_strided(DType dtype, void* data, int64_t offset, int64_t stride, int64_t count, float value) {
  switch (dtype) {
    case DType::kFloat16:
      return fill_strided<tensor::Float16>(data, offset, stride, count, value);
    case DType::kUint8:
      return fill_strided<uint8_t>(data, offset, stride, count, value);
    case DType::kInt8:
      return fill_strided<int8_t>(data, offset, stride, count, value);
    default:
      return fill_strided<float>(data, offset, stride, count, value);
  }
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
  fused.first_rank_ = fused.row_of(fused.vertical_.is_flipped() ? fused.output_.window_y + height - 1
                                                                : fused.output_.window_y);
  fused.ready_rank_ = fused.first_rank_;
  fused.begun_rank_ = fused.first_rank_;
  fused.end_rank_ = fused.first_rank_ + height;
  fused.open_slots();
  return fused;
}

// Finds the source rows that the window needs, and how many output rows are under way at once.
void FusedResample::open_slots() {
  int most = 1;
  next_row_ = vertical_.in_size();
  end_row_ = 0;
  int oldest = first_rank_;
  for (int rank = first_rank_; rank < end_rank_; ++rank) {
    const int row = row_of(rank);
    const int first = vertical_.first(row);
    next_row_ = std::min(next_row_, first);
    end_row_ = std::max(end_row_, first + vertical_.count(row));
    while (vertical_.first(row_of(oldest)) + vertical_.count(row_of(oldest)) <= first) {
      ++oldest;
    }
    most = std::max(most, rank - oldest + 1);
  }
  slots_ = std::min(most + kResampleRows, end_rank_ - first_rank_);
  row_floats_ = static_cast<size_t>(horizontal_.in_size()) * channels_ + kResamplePadding;
  accumulators_.assign(row_floats_ * slots_, 0);
  const size_t window_floats = static_cast<size_t>(output_.window_width) * channels_;
  resampled_.assign((window_floats + kResamplePadding) * kResampleRows, 0);
  rounded_.resize(window_floats);
}

void FusedResample::push_columns(const uint8_t* row) {
  const int64_t begin = static_cast<int64_t>(horizontal_.source_begin()) * channels_;
  const int64_t size = static_cast<int64_t>(horizontal_.source_end()) * channels_ - begin;
  const int source = next_row_++;
  for (int rank = ready_rank_; rank < begun_rank_; ++rank) {
    const int out = row_of(rank);
    const int tap = source - vertical_.first(out);
    if (tap < vertical_.count(out)) {
      accumulate_row(row, vertical_.weights(out)[tap], size, accumulator(rank) + begin);
    }
  }
  // Rows that begin here; one that begins and ends here is ready at once, and there may be many of them
  // (enlarging).
  do {
    while (begun_rank_ < end_rank_ && begun_rank_ - first_rank_ < slots_ &&
           vertical_.first(row_of(begun_rank_)) == source) {
      blend_rows(&row, vertical_.weights(row_of(begun_rank_)), 1, size, accumulator(begun_rank_) + begin);
      ++begun_rank_;
    }
    while (ready_rank_ < begun_rank_ &&
           vertical_.first(row_of(ready_rank_)) + vertical_.count(row_of(ready_rank_)) <= next_row_) {
      ++ready_rank_;
    }
    while (ready_rank_ - first_rank_ >= kResampleRows) {
      finish_rows(kResampleRows);
    }
  } while (begun_rank_ < end_rank_ && begun_rank_ - first_rank_ < slots_ &&
           vertical_.first(row_of(begun_rank_)) == source);
  if (is_finished() && ready_rank_ > first_rank_) {
    finish_rows(ready_rank_ - first_rank_);
  }
}

void FusedResample::finish_rows(int count) {
  std::array<const float*, kResampleRows> in{};
  std::array<float*, kResampleRows> out{};
  const size_t pitch = resampled_.size() / kResampleRows;
  for (int row = 0; row < count; ++row) {
    in[row] = accumulator(first_rank_ + row);
    out[row] = resampled_.data() + row * pitch;
  }
  const int begin = output_.window_x;
  resample_rows({&horizontal_, begin, begin + output_.window_width, channels_}, count, in.data(), out.data());
  for (int row = 0; row < count; ++row) {
    write_row(out[row], row_of(first_rank_ + row) - output_.window_y);
  }
  first_rank_ += count;
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
    round_row(values, static_cast<int64_t>(width) * channels_, static_cast<uint8_t*>(output_.data) + start);
    return;
  }
  round_row(values, static_cast<int64_t>(width) * channels_, rounded_.data());
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
    fill_strided(output_.dtype, output_.data, start + c * channel_stride, pixel_stride, width,
                 output_.padding);
  }
}

}  // namespace forebay::kernels
