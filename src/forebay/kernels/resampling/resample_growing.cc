#include "forebay/kernels/resampling/resample_growing.h"

#include <array>

namespace forebay::kernels {

// Compares the number of values multiplied or moved in each order.
bool is_horizontal_first(const ResampleAxis& vertical, const ResampleAxis& horizontal) {
  const int64_t in_rows = vertical.source_end() - vertical.source_begin();
  const int64_t in_columns = horizontal.source_end() - horizontal.source_begin();
  const int64_t out_rows = vertical.out_size();
  const int64_t out_columns = horizontal.out_size();
  if (vertical.is_nearest() || horizontal.is_nearest() || out_rows < in_rows) {
    return false;
  }
  const auto horizontal_work = static_cast<double>(in_columns + out_columns * (horizontal.support() + 2));
  const auto vertical_work = static_cast<double>(vertical.support());
  const double horizontal_first = static_cast<double>(in_rows) * horizontal_work +
                                  static_cast<double>(out_rows * out_columns) * vertical_work;
  const double vertical_first =
      static_cast<double>(out_rows) * (horizontal_work + static_cast<double>(in_columns) * vertical_work);
  return horizontal_first <= vertical_first;
}

ResampledRows::ResampledRows(const HorizontalWindow& window, int first_row, int kept_rows)
    : end_row_(first_row),
      ring_rows_(kept_rows + kResampleRows),
      row_size_(static_cast<size_t>(window.end - window.begin) * window.channels + kResamplePadding),
      pending_size_(static_cast<size_t>(window.axis->in_size()) * window.channels + kResamplePadding),
      pending_(pending_size_ * kResampleRows),
      made_(row_size_ * ring_rows_),
      scratch_(resample_scratch(window)) {
  taps_.reserve(static_cast<size_t>(kept_rows));
}

template <class T>
void ResampledRows::push(const HorizontalWindow& window, const T* columns) {
  const int64_t begin = static_cast<int64_t>(window.axis->source_begin()) * window.channels;
  const int64_t end = static_cast<int64_t>(window.axis->source_end()) * window.channels;
  const float one = 1;
  blend_rows(&columns, &one, 1, end - begin, pending_row(pending_rows_++) + begin);
  if (pending_rows_ == kResampleRows) {
    flush(window);
  }
}

void ResampledRows::flush(const HorizontalWindow& window) {
  if (pending_rows_ == 0) {
    return;
  }
  std::array<const float*, kResampleRows> in{};
  std::array<float*, kResampleRows> made{};
  for (int index = 0; index < pending_rows_; ++index) {
    in[index] = pending_row(index);
    made[index] = made_.data() + ((end_row_ + index) % ring_rows_) * row_size_;
  }
  resample_rows(window, pending_rows_, in.data(), made.data(), scratch_.data());
  end_row_ += pending_rows_;
  pending_rows_ = 0;
}

template <class Out>
void ResampledRows::blend(const ResampleAxis& vertical, int y, int64_t size, Out* out) {
  taps_.clear();
  for (int tap = 0; tap < vertical.count(y); ++tap) {
    taps_.push_back(row(vertical.first(y) + tap));
  }
  blend_rows(taps_.data(), vertical.weights(y), vertical.count(y), size, out);
}

template <class In, class Out>
void resample_growing(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                      const MutableImageView<Out>& out) {
  const HorizontalWindow window{&horizontal, 0, out.width, in.channels};
  const ptrdiff_t begin = static_cast<ptrdiff_t>(horizontal.source_begin()) * in.channels;
  ResampledRows resampled(window, vertical.source_begin(), vertical.support());
  int next_row = vertical.source_begin();
  for (int rank = 0; rank < out.height; ++rank) {
    const int y = vertical.is_flipped() ? out.height - 1 - rank : rank;
    while (resampled.end_row() < vertical.first(y) + vertical.count(y)) {
      resampled.push(window, in.row(next_row++) + begin);
      if (next_row == vertical.source_end()) {
        resampled.flush(window);
      }
    }
    resampled.blend(vertical, y, static_cast<int64_t>(out.width) * out.channels, out.row(y));
  }
}

#define FOREBAY_PUSH(T) template void ResampledRows::push(const HorizontalWindow&, const T*)
FOREBAY_PUSH(uint8_t);
FOREBAY_PUSH(uint16_t);
FOREBAY_PUSH(int16_t);
FOREBAY_PUSH(float);
#undef FOREBAY_PUSH

#define FOREBAY_BLEND(Out) template void ResampledRows::blend(const ResampleAxis&, int, int64_t, Out*)
FOREBAY_BLEND(uint8_t);
FOREBAY_BLEND(uint16_t);
FOREBAY_BLEND(int16_t);
FOREBAY_BLEND(float);
#undef FOREBAY_BLEND

#define FOREBAY_RESAMPLE_GROWING(In, Out)                                                        \
  template void resample_growing(const ImageView<In>&, const ResampleAxis&, const ResampleAxis&, \
                                 const MutableImageView<Out>&)
FOREBAY_RESAMPLE_GROWING(uint8_t, uint8_t);
FOREBAY_RESAMPLE_GROWING(uint8_t, float);
FOREBAY_RESAMPLE_GROWING(uint16_t, uint16_t);
FOREBAY_RESAMPLE_GROWING(uint16_t, float);
FOREBAY_RESAMPLE_GROWING(int16_t, int16_t);
FOREBAY_RESAMPLE_GROWING(int16_t, float);
FOREBAY_RESAMPLE_GROWING(float, float);
FOREBAY_RESAMPLE_GROWING(float, uint8_t);
FOREBAY_RESAMPLE_GROWING(float, uint16_t);
FOREBAY_RESAMPLE_GROWING(float, int16_t);
#undef FOREBAY_RESAMPLE_GROWING

}  // namespace forebay::kernels
