// Sums over sixteen lines and more at a time, one number of the matrix for all of them.
#include "forebay/kernels/signal/band_matrix.h"

#include <algorithm>

#include "forebay/base/caught.h"
#include "forebay/base/check.h"
#include "forebay/kernels/signal/lanes.h"
#include "forebay/memory/host/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/signal/band_matrix.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Rows of the product for the lines that `kVectors` vectors cover; elements of a line are `pitch` apart.
template <int kVectors, class D>
HWY_INLINE void multiply_some(D d, const BandMatrix& matrix, const float* in, int64_t in_pitch, float* out,
                              int64_t out_pitch) {
  const size_t lanes = hn::Lanes(d);
  for (const BandMatrix::Row& row : matrix.rows()) {
    const float* const numbers = matrix.numbers().data() + row.first_number;
    const float* from = in + row.first_column * in_pitch;
    hn::Vec<D> sums[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = hn::Zero(d);
    }
    for (int64_t i = 0; i < row.size; ++i, from += in_pitch) {
      const auto number = hn::Set(d, numbers[i]);
      for (int v = 0; v < kVectors; ++v) {
        sums[v] = hn::Add(sums[v], hn::Mul(number, hn::LoadU(d, from + v * lanes)));
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sums[v], d, out + v * lanes);
    }
    out += out_pitch;
  }
}

/// The product for `count` lines beside each other.
void multiply_beside(const BandMatrix& matrix, int64_t count, const float* in, int64_t in_pitch, float* out,
                     int64_t out_pitch) {
  const hn::CappedTag<float, kFftLanes> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t line = 0;
  for (; line + 4 * lanes <= count; line += 4 * lanes) {
    multiply_some<4>(d, matrix, in + line, in_pitch, out + line, out_pitch);
  }
  for (; line + lanes <= count; line += lanes) {
    multiply_some<1>(d, matrix, in + line, in_pitch, out + line, out_pitch);
  }
  for (; line < count; ++line) {
    multiply_some<1>(hn::CappedTag<float, 1>(), matrix, in + line, in_pitch, out + line, out_pitch);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
HWY_EXPORT(multiply_beside);

void BandMatrix::add_row(int64_t first_column, const std::vector<float>& numbers) {
  const auto size = static_cast<int64_t>(numbers.size());
  FOREBAY_CHECK(first_column >= 0 && first_column + size <= num_columns_);
  rows_.push_back({first_column, static_cast<int64_t>(numbers_.size()), size});
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
}

Status BandMatrix::multiply(const float* in, const Lines& lines, float* out) const {
  const auto product = HWY_DYNAMIC_DISPATCH(multiply_beside);
  if (lines.inner > 1) {
    for (int64_t outer = 0; outer < lines.outer; ++outer) {
      product(*this, lines.inner, in + outer * num_columns_ * lines.inner, lines.inner,
              out + outer * num_rows() * lines.inner, lines.inner);
    }
    return ok_status();
  }
  return caught([&]() -> Status {
    memory::ScratchArray<float> from(static_cast<size_t>(num_columns_ * kFftLanes));
    memory::ScratchArray<float> to(static_cast<size_t>(num_rows() * kFftLanes));
    const LineBlocks in_blocks(lines);
    const LineBlocks out_blocks({lines.outer, num_rows(), 1});
    for (int64_t block = 0; block < in_blocks.count(); ++block) {
      in_blocks.read(in, block, num_columns_, from.data());
      product(*this, kFftLanes, from.data(), kFftLanes, to.data(), kFftLanes);
      out_blocks.write(to.data(), block, out);
    }
    return ok_status();
  });
}

}  // namespace forebay::kernels
#endif  // HWY_ONCE
