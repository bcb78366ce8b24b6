// Four output rows at a time go through both passes while they are in the cache. The source rows of the four
// overlap, and together they are larger than the first cache: they are blended in strips of columns that stay
// there, two output rows at once.
#include "forebay/kernels/image/resample_shrinking.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "forebay/kernels/image/resample_passes.h"

namespace forebay::kernels {
namespace {

constexpr int64_t kStripBytes = 24 << 10;  // of all source rows together: of a first cache of 32 KiB
constexpr int64_t kNarrowestStrip = 256;   // values

// kResampleRows rows of floats, zeros at first.
class RowScratch {
 public:
  explicit RowScratch(int64_t size) : values_(static_cast<size_t>(size) * kResampleRows) {
    for (int row = 0; row < kResampleRows; ++row) {
      rows_[row] = values_.data() + row * size;
    }
  }
  float* const* rows() const { return rows_.data(); }

 private:
  std::vector<float> values_;
  std::array<float*, kResampleRows> rows_;
};

// The vertical pass of a few output rows.
template <class T>
class RowGroup {
 public:
  RowGroup(const ResampleAxis& vertical, int begin, int count) : count_(count) {
    first_ = vertical.in_size();
    for (int row = 0; row < count; ++row) {
      const int y = begin + row;
      taps_[row] = {vertical.first(y), vertical.count(y), vertical.weights(y)};
      first_ = std::min(first_, taps_[row].first);
      last_ = std::max(last_, taps_[row].first + taps_[row].count);
    }
    int taps = 0;
    for (int row = 0; row < count; ++row) {
      taps_[row].first -= first_;
      taps += taps_[row].count;
    }
    shares_rows_ = taps > last_ - first_;
  }

  // Values [begin, end) of the rows. `rows` is scratch.
  void blend(const ImageView<T>& in, int64_t begin, int64_t end, float* const* out,
             std::vector<const T*>* rows) const {
    rows->resize(last_ - first_);
    const int64_t fitting = kStripBytes / static_cast<int64_t>(sizeof(T)) / (last_ - first_);
    // Rows that are read once need not stay.
    const int64_t strip = shares_rows_ ? std::max(kNarrowestStrip, fitting) : end - begin;
    for (int64_t at = begin; at < end; at += strip) {
      for (int row = first_; row < last_; ++row) {
        (*rows)[row - first_] = in.row(row) + at;
      }
      const int64_t size = std::min(strip, end - at);
      for (int row = 0; row < count_; row += 2) {
        blend_two(rows->data(), row, size, out, at);
      }
    }
  }

 private:
  void blend_two(const T* const* rows, int row, int64_t size, float* const* out, int64_t at) const {
    int a = row;
    int b = row + 1;
    if (b == count_) {
      blend_rows(rows + taps_[a].first, taps_[a].weights, taps_[a].count, size, out[a] + at);
      return;
    }
    if (taps_[b].first < taps_[a].first) {
      std::swap(a, b);
    }
    blend_row_pair(rows, taps_[a], taps_[b], size, out[a] + at, out[b] + at);
  }

  int count_;
  int first_ = 0;
  int last_ = 0;
  bool shares_rows_ = false;
  std::array<RowTaps, kResampleRows> taps_;
};

}  // namespace

template <class In, class Out>
void resample_shrinking(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                        const MutableImageView<Out>& out) {
  const int64_t out_size = static_cast<int64_t>(out.width) * out.channels;
  const RowScratch blended(static_cast<int64_t>(in.width) * in.channels);
  const RowScratch resampled(out_size);
  std::vector<const In*> rows;
  std::vector<float> scratch;
  // Columns that no output needs are not blended.
  const int64_t begin = static_cast<int64_t>(horizontal.source_begin()) * in.channels;
  const int64_t end = static_cast<int64_t>(horizontal.source_end()) * in.channels;
  for (int y = 0; y < out.height; y += kResampleRows) {
    const int count = std::min(kResampleRows, out.height - y);
    RowGroup<In>(vertical, y, count).blend(in, begin, end, blended.rows(), &rows);
    resample_rows({&horizontal, 0, out.width, in.channels}, count, blended.rows(), resampled.rows(),
                  &scratch);
    for (int row = 0; row < count; ++row) {
      round_row(resampled.rows()[row], out_size, out.row(y + row));
    }
  }
}

#define FOREBAY_RESAMPLE_SHRINKING(In, Out)                                                        \
  template void resample_shrinking(const ImageView<In>&, const ResampleAxis&, const ResampleAxis&, \
                                   const MutableImageView<Out>&)
FOREBAY_RESAMPLE_SHRINKING(uint8_t, uint8_t);
FOREBAY_RESAMPLE_SHRINKING(uint8_t, float);
FOREBAY_RESAMPLE_SHRINKING(uint16_t, uint16_t);
FOREBAY_RESAMPLE_SHRINKING(uint16_t, float);
FOREBAY_RESAMPLE_SHRINKING(int16_t, int16_t);
FOREBAY_RESAMPLE_SHRINKING(int16_t, float);
FOREBAY_RESAMPLE_SHRINKING(float, float);
FOREBAY_RESAMPLE_SHRINKING(float, uint8_t);
FOREBAY_RESAMPLE_SHRINKING(float, uint16_t);
FOREBAY_RESAMPLE_SHRINKING(float, int16_t);
#undef FOREBAY_RESAMPLE_SHRINKING

}  // namespace forebay::kernels
