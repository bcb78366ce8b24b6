// Four output rows at a time go through both passes while they are in cache. The source rows of two
// neighbours overlap, so they are blended together and each shared value is converted once.
#include "forebay/kernels/resampling/resample_shrinking.h"

#include <algorithm>
#include <array>
#include <utility>

#include "forebay/kernels/resampling/resample_passes.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

// kResampleRows rows of floats, initially zero, each with the padding that the horizontal pass needs.
class RowScratch {
 public:
  explicit RowScratch(int64_t size)
      : pitch_(static_cast<size_t>(size) + kResamplePadding), values_(pitch_ * kResampleRows) {
    for (int row = 0; row < kResampleRows; ++row) {
      rows_[row] = values_.data() + row * pitch_;
    }
  }
  float* const* rows() const { return rows_.data(); }

 private:
  size_t pitch_;
  memory::ScratchVector<float> values_;
  std::array<float*, kResampleRows> rows_;
};

// The source columns that some output needs, as values of a row.
struct Columns {
  int64_t begin = 0;
  int64_t size = 0;
};

// The vertical pass for output row `y`, and for the next one if `count` is 2. `rows` is scratch memory.
template <class T>
void blend_rows_from(const ImageView<T>& in, const ResampleAxis& vertical, int y, int count,
                     const Columns& columns, float* const* out, memory::ScratchVector<const T*>* rows) {
  int a = y;
  int b = y + count - 1;
  if (vertical.first(b) < vertical.first(a)) {
    std::swap(a, b);
  }
  const int first = vertical.first(a);
  const int last = std::max(first + vertical.count(a), vertical.first(b) + vertical.count(b));
  rows->clear();
  for (int row = first; row < last; ++row) {
    rows->push_back(in.row(row) + columns.begin);
  }
  if (count == 1) {
    blend_rows(rows->data(), vertical.weights(y), vertical.count(y), columns.size, out[0] + columns.begin);
    return;
  }
  const RowTaps taps_a{0, vertical.count(a), vertical.weights(a)};
  const RowTaps taps_b{vertical.first(b) - first, vertical.count(b), vertical.weights(b)};
  blend_row_pair(rows->data(), taps_a, taps_b, columns.size, out[a - y] + columns.begin,
                 out[b - y] + columns.begin);
}

}  // namespace

template <class In, class Out>
void resample_shrinking(const ImageView<In>& in, const ResampleAxis& vertical, const ResampleAxis& horizontal,
                        const MutableImageView<Out>& out) {
  const int64_t out_size = static_cast<int64_t>(out.width) * out.channels;
  const RowScratch blended(static_cast<int64_t>(in.width) * in.channels);
  const RowScratch resampled(out_size);
  memory::ScratchVector<const In*> rows;
  const HorizontalWindow window{&horizontal, 0, out.width, in.channels};
  memory::ScratchVector<float> scratch(resample_scratch(window));
  const int64_t begin = static_cast<int64_t>(horizontal.source_begin()) * in.channels;
  const Columns columns{begin, static_cast<int64_t>(horizontal.source_end()) * in.channels - begin};
  for (int y = 0; y < out.height; y += kResampleRows) {
    const int count = std::min(kResampleRows, out.height - y);
    for (int row = 0; row < count; row += 2) {
      blend_rows_from(in, vertical, y + row, std::min(2, count - row), columns, blended.rows() + row, &rows);
    }
    resample_rows(window, count, blended.rows(), resampled.rows(), scratch.data());
    for (int row = 0; row < count; ++row) {
      round_row_to_even(resampled.rows()[row], out_size, out.row(y + row));
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
