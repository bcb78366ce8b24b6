// Transposes of four by four floats, as many beside each other as a vector has blocks of 128 bits.
#include "forebay/kernels/signal/lanes.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/signal/lanes.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#undef FOREBAY_TRANSPOSES_BLOCKS
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#define FOREBAY_TRANSPOSES_BLOCKS 1
#else
#define FOREBAY_TRANSPOSES_BLOCKS 0
#endif

#if FOREBAY_TRANSPOSES_BLOCKS
/// Four elements of each fourth line, block after block.
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const float* const* lines, int64_t at) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return hn::LoadU(d, lines[0] + at);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, lines + hn::MaxLanes(half), at), load_blocks(half, lines, at));
  }
}

/// The first `num_lines` blocks of a vector to each fourth line.
template <class D>
HWY_INLINE void store_blocks(D d, hn::Vec<D> blocks, int64_t line, int64_t num_lines, float* out,
                             int64_t pitch) {
  if constexpr (hn::MaxLanes(d) == 4) {
    if (line < num_lines) {
      hn::StoreU(blocks, d, out + line * pitch);
    }
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, blocks), line, num_lines, out, pitch);
    store_blocks(half, hn::UpperHalf(half, blocks), line + static_cast<int64_t>(hn::MaxLanes(half)),
                 num_lines, out, pitch);
  }
}

/// In each block of 128 bits, v[r] element c becomes v[c] element r.
template <class D>
HWY_INLINE void transpose_blocks(D d, hn::Vec<D> (&v)[4]) {
  const auto low02 = hn::InterleaveLower(d, v[0], v[2]);
  const auto low13 = hn::InterleaveLower(d, v[1], v[3]);
  const auto high02 = hn::InterleaveUpper(d, v[0], v[2]);
  const auto high13 = hn::InterleaveUpper(d, v[1], v[3]);
  v[0] = hn::InterleaveLower(d, low02, low13);
  v[1] = hn::InterleaveUpper(d, low02, low13);
  v[2] = hn::InterleaveLower(d, high02, high13);
  v[3] = hn::InterleaveUpper(d, high02, high13);
}
#endif

void gather_rows(const float* const* lines, const float* factors, int64_t count, float* rows) {
  int64_t i = 0;
#if FOREBAY_TRANSPOSES_BLOCKS
  const hn::CappedTag<float, kFftLanes> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  for (; i + 4 <= count; i += 4) {
    for (int64_t lane = 0; lane < kFftLanes; lane += kLanes) {
      hn::Vec<decltype(d)> v[4];
      for (int r = 0; r < 4; ++r) {
        v[r] = load_blocks(d, lines + lane + r, i);
      }
      transpose_blocks(d, v);
      for (int r = 0; r < 4; ++r) {
        const auto value = factors == nullptr ? v[r] : hn::Mul(v[r], hn::Set(d, factors[i + r]));
        hn::StoreU(value, d, rows + (i + r) * kFftLanes + lane);
      }
    }
  }
#endif
  for (; i < count; ++i) {
    const float factor = factors == nullptr ? 1.0f : factors[i];
    for (int64_t lane = 0; lane < kFftLanes; ++lane) {
      rows[i * kFftLanes + lane] = lines[lane][i] * factor;
    }
  }
}

void scatter_rows(const float* rows, int64_t count, int64_t num_lines, float* out, int64_t pitch) {
  int64_t i = 0;
#if FOREBAY_TRANSPOSES_BLOCKS
  const hn::CappedTag<float, kFftLanes> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  for (; i + 4 <= count; i += 4) {
    for (int64_t lane = 0; lane < num_lines; lane += kLanes) {
      hn::Vec<decltype(d)> v[4];
      for (int r = 0; r < 4; ++r) {
        v[r] = hn::LoadU(d, rows + (i + r) * kFftLanes + lane);
      }
      transpose_blocks(d, v);
      for (int r = 0; r < 4; ++r) {
        store_blocks(d, v[r], lane + r, num_lines, out + i, pitch);
      }
    }
  }
#endif
  for (; i < count; ++i) {
    for (int64_t lane = 0; lane < num_lines; ++lane) {
      out[lane * pitch + i] = rows[i * kFftLanes + lane];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
HWY_EXPORT(gather_rows);
HWY_EXPORT(scatter_rows);

void lines_to_rows(const LinePointers& lines, const float* factors, int64_t count, float* rows) {
  HWY_DYNAMIC_DISPATCH(gather_rows)(lines.data(), factors, count, rows);
}

void rows_to_lines(const float* rows, int64_t count, int64_t num_lines, float* out, int64_t pitch) {
  HWY_DYNAMIC_DISPATCH(scatter_rows)(rows, count, num_lines, out, pitch);
}

int64_t LineBlocks::size(int64_t block) const {
  if (lines_.inner == 1) {
    return std::min(kFftLanes, lines_.outer - block * kFftLanes);
  }
  return std::min(kFftLanes, lines_.inner - block % blocks_of(lines_.inner) * kFftLanes);
}

int64_t LineBlocks::start(int64_t block) const {
  if (lines_.inner == 1) {
    return block * kFftLanes * lines_.length;
  }
  const int64_t blocks = blocks_of(lines_.inner);
  return block / blocks * lines_.length * lines_.inner + block % blocks * kFftLanes;
}

void LineBlocks::read(const float* array, int64_t block, int64_t count, float* rows) const {
  const float* const first = array + start(block);
  const int64_t num_lines = size(block);
  if (lines_.inner == 1) {
    LinePointers pointers;
    for (int64_t lane = 0; lane < kFftLanes; ++lane) {
      pointers[static_cast<size_t>(lane)] = first + std::min(lane, num_lines - 1) * lines_.length;
    }
    lines_to_rows(pointers, nullptr, count, rows);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    float* const row = rows + i * kFftLanes;
    std::fill(std::copy_n(first + i * lines_.inner, num_lines, row), row + kFftLanes, 0.0f);  // copy: to rows
  }
}

void LineBlocks::write(const float* rows, int64_t block, float* array) const {
  float* const first = array + start(block);
  const int64_t num_lines = size(block);
  if (lines_.inner == 1) {
    rows_to_lines(rows, lines_.length, num_lines, first, lines_.length);
    return;
  }
  for (int64_t i = 0; i < lines_.length; ++i) {
    std::copy_n(rows + i * kFftLanes, num_lines, first + i * lines_.inner);  // copy: from rows
  }
}

}  // namespace forebay::kernels
#endif  // HWY_ONCE
