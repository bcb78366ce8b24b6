// Makes each output pixel directly from its few taps, blending columns as the vertical pass would and then
// adding them as the horizontal pass would: columns between the taps are not touched, and no row of floats is
// stored. A pixel is read and written as four bytes; pixels for which that would exceed the row go value by
// value.
#include "forebay/kernels/resampling/resample_sparse.h"
#include "forebay/memory/host/scratch.h"

#include "forebay/kernels/generic/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/resampling/resample_sparse.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "forebay/kernels/pixels/fused_add-inl.h"
#include "forebay/kernels/pixels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

// For any target and any place in the row.
HWY_INLINE void make_pixel(const SparseRow& row, const ResampleAxis& axis, int x, uint8_t* out) {
  const float* weights = axis.weights(x);
  for (int c = 0; c < row.channels; ++c) {
    float sum = 0;
    for (int k = 0; k < axis.count(x); ++k) {
      const int64_t at = (static_cast<int64_t>(axis.first(x)) + k) * row.channels + c;
      float blended = row.weights[0] * static_cast<float>(row.rows[0][at]);
      for (int tap = 1; tap < row.taps; ++tap) {
        blended = std::fma(row.weights[tap], static_cast<float>(row.rows[tap][at]), blended);
      }
      sum = k == 0 ? weights[0] * blended : std::fma(weights[k], blended, sum);
    }
    out[c] = convert_to_even<uint8_t>(sum);
  }
}

#if HWY_TARGET == HWY_SCALAR

void make_pixels(const SparseRow& row, const ResampleAxis& axis, int begin, int end, uint8_t* out) {
  for (int x = begin; x < end; ++x) {
    make_pixel(row, axis, x, out + static_cast<int64_t>(x) * row.channels);
  }
}

#else

// kTaps is 0 if only known at run time, otherwise the number of taps of both axes. The horizontal taps are
// those of the whole window: a loop of constant length is worth more than a few products with 0.
template <int kTaps>
HWY_INLINE void make_wide_pixels(const SparseRow& row, const ResampleAxis& axis, int begin, int end,
                                 uint8_t* HWY_RESTRICT out) {
  const hn::FixedTag<float, 4> d;
  const int taps = kTaps != 0 ? kTaps : row.taps;
  const int support = kTaps != 0 ? kTaps : axis.support();
  const int64_t channels = row.channels;
  const uint8_t* const* rows = row.rows;
  const uint8_t* HWY_RESTRICT row0 = rows[0];
  const uint8_t* HWY_RESTRICT row1 = rows[taps > 1 ? 1 : 0];
  const auto weight0 = hn::Set(d, row.weights[0]);
  const auto weight1 = hn::Set(d, taps > 1 ? row.weights[1] : 0.0f);
  const auto blend = [&](int64_t at) HWY_ATTR {
    auto sum = hn::Mul(weight0, load_float(d, row0 + at));
    if (taps > 1) {
      sum = fused_add(d, weight1, load_float(d, row1 + at), sum);
    }
    for (int tap = 2; tap < taps; ++tap) {
      sum = fused_add(d, hn::Set(d, row.weights[tap]), load_float(d, rows[tap] + at), sum);
    }
    return sum;
  };
  const float* HWY_RESTRICT weights = axis.window_weights(begin);
  uint8_t* HWY_RESTRICT to = out + begin * channels;
  for (int x = begin; x < end; ++x) {
    int64_t at = axis.window_first(x) * channels;
    auto sum = hn::Mul(hn::Set(d, weights[0]), blend(at));
    for (int k = 1; k < support; ++k) {
      at += channels;
      sum = fused_add(d, hn::Set(d, weights[k]), blend(at), sum);
    }
    store_rounded<HalvesToEven>(d, sum, to);
    weights += support;
    to += channels;
  }
}

#if HWY_MAX_BYTES >= 32
// Two taps in each direction, three channels: both columns in one vector.
HWY_INLINE void make_linear_pixels(const SparseRow& row, const ResampleAxis& axis, int begin, int end,
                                   uint8_t* HWY_RESTRICT out) {
  constexpr int64_t kChannels = 3;
  const hn::FixedTag<float, 8> d;
  const hn::FixedTag<float, 4> half;
  HWY_ALIGN constexpr int32_t kSecondColumn[8] = {3, 4, 5, 6, 3, 4, 5, 6};
  const auto second_column = hn::SetTableIndices(d, kSecondColumn);
  const uint8_t* HWY_RESTRICT row0 = row.rows[0];
  const uint8_t* HWY_RESTRICT row1 = row.rows[1];
  const auto weight0 = hn::Set(d, row.weights[0]);
  const auto weight1 = hn::Set(d, row.weights[1]);
  const float* HWY_RESTRICT weights = axis.window_weights(begin);
  uint8_t* HWY_RESTRICT to = out + begin * kChannels;
  for (int x = begin; x < end; ++x) {
    const int64_t at = axis.window_first(x) * kChannels;
    const auto blended =
        fused_add(d, weight1, load_float(d, row1 + at), hn::Mul(weight0, load_float(d, row0 + at)));
    const auto second = hn::LowerHalf(half, hn::TableLookupLanes(blended, second_column));
    const auto sum = fused_add(half, hn::Set(half, weights[1]), second,
                               hn::Mul(hn::Set(half, weights[0]), hn::LowerHalf(half, blended)));
    store_rounded<HalvesToEven>(half, sum, to);
    weights += 2;
    to += kChannels;
  }
}
#endif

void make_pixels(const SparseRow& row, const ResampleAxis& axis, int begin, int end, uint8_t* out) {
  if (begin == end) {
    return;
  }
#if HWY_MAX_BYTES >= 32
  if (row.taps == 2 && axis.support() == 2 && row.channels == 3) {
    make_linear_pixels(row, axis, begin, end, out);
    return;
  }
#endif
  if (row.taps == 2 && axis.support() == 2) {
    make_wide_pixels<2>(row, axis, begin, end, out);
  } else {
    make_wide_pixels<0>(row, axis, begin, end, out);
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

// Output pixels [begin, end) may be read and written as four bytes.
void make_row(const SparseRow& row, const ResampleAxis& axis, int begin, int end, uint8_t* out) {
  for (int x = 0; x < begin; ++x) {
    make_pixel(row, axis, x, out + static_cast<int64_t>(x) * row.channels);
  }
  make_pixels(row, axis, begin, end, out);
  for (int x = end; x < axis.out_size(); ++x) {
    make_pixel(row, axis, x, out + static_cast<int64_t>(x) * row.channels);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(make_row);

bool is_sparse(const ResampleAxis& horizontal) {
  const int64_t columns = horizontal.source_end() - horizontal.source_begin();
  return int64_t{2} * horizontal.out_size() * horizontal.support() <= columns;
}

void resample_sparse(const ImageView<uint8_t>& in, const ResampleAxis& vertical,
                     const ResampleAxis& horizontal, const MutableImageView<uint8_t>& out) {
  const auto is_inside = [&](int x) {
    return in.channels == 4 || horizontal.window_first(x) + horizontal.support() < in.width;
  };
  int begin = 0;
  int end = in.channels == 4 ? out.width : out.width - 1;
  while (begin < end && !is_inside(begin)) {
    ++begin;
  }
  while (begin < end && !is_inside(end - 1)) {
    --end;
  }
  memory::ScratchVector<const uint8_t*> rows(vertical.support());
  for (int y = 0; y < out.height; ++y) {
    const int taps = vertical.count(y);
    for (int tap = 0; tap < taps; ++tap) {
      rows[tap] = in.row(vertical.first(y) + tap);
    }
    const SparseRow row{rows.data(), vertical.weights(y), taps, in.channels};
    HWY_DYNAMIC_DISPATCH(make_row)(row, horizontal, begin, end, out.row(y));
  }
}

}  // namespace forebay::kernels
#endif
