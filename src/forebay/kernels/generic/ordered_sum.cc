#include "forebay/kernels/generic/ordered_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/generic/ordered_sum.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef FOREBAY_KERNELS_GENERIC_ORDERED_SUM_ONCE
#define FOREBAY_KERNELS_GENERIC_ORDERED_SUM_ONCE
namespace forebay::kernels {

/// Some values: their sum if no addition rounded, the largest magnitude, and the largest power of two that
/// all but the zeros are a multiple of; 0 where that is too small to say.
struct BlockOfValues {
  double sum = 0;
  float largest = 0;
  float unit = 0;
};

}  // namespace forebay::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Doubles>;
using FloatBits = hn::RebindToSigned<Floats>;

/// The largest power of two that each value is a multiple of: infinite for zeros, 0 for what is not normal.
HWY_INLINE hn::Vec<Floats> units_of(hn::Vec<Floats> values) {
  const FloatBits bits_tag;
  const auto bits = hn::BitCast(bits_tag, values);
  const auto mantissa = hn::Or(hn::And(bits, hn::Set(bits_tag, 0x7fffff)), hn::Set(bits_tag, 0x800000));
  const auto lowest =
      hn::Mul(hn::ConvertTo(Floats(), hn::And(mantissa, hn::Neg(mantissa))), hn::Set(Floats(), 0x1p-23f));
  const auto power = hn::BitCast(Floats(), hn::And(bits, hn::Set(bits_tag, 0x7f800000)));
  const auto infinite = hn::Set(Floats(), std::numeric_limits<float>::infinity());
  return hn::IfThenElse(hn::Eq(values, hn::Zero(Floats())), infinite, hn::Mul(lowest, power));
}

/// What has been seen of a block, in lanes.
template <Summand kSummand>
struct Seen {
  hn::Vec<Doubles> sum;
  hn::Vec<Floats> largest;
  hn::Vec<Floats> unit;

  HWY_INLINE Seen()
      : sum(hn::Zero(Doubles())),
        largest(hn::Zero(Floats())),
        unit(hn::Set(Floats(), std::numeric_limits<float>::infinity())) {}
  HWY_INLINE void add(const float* values) {
    const auto value = hn::LoadU(Floats(), values);
    const auto wide = hn::PromoteTo(Doubles(), value);
    sum = hn::Add(sum, kSummand == Summand::kSquare ? hn::Mul(wide, wide) : wide);
    join(hn::Abs(value), units_of(value));
  }
  HWY_INLINE void join(hn::Vec<Floats> magnitude, hn::Vec<Floats> other_unit) {
    // Magnitudes as integers have the same order, and NaN comes last.
    const FloatBits bits;
    largest = hn::BitCast(Floats(), hn::Max(hn::BitCast(bits, largest), hn::BitCast(bits, magnitude)));
    unit = hn::Min(unit, other_unit);
  }
};

/// `count` is a multiple of twice the lanes.
template <Summand kSummand>
BlockOfValues block_of(const float* values, int64_t count) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Floats()));
  Seen<kSummand> one;
  Seen<kSummand> other;
  for (int64_t i = 0; i < count; i += 2 * lanes) {
    one.add(values + i);
    other.add(values + i + lanes);
  }
  one.join(other.largest, other.unit);
  const FloatBits bits;
  return {hn::GetLane(hn::SumOfLanes(Doubles(), hn::Add(one.sum, other.sum))),
          std::bit_cast<float>(hn::GetLane(hn::MaxOfLanes(bits, hn::BitCast(bits, one.largest)))),
          hn::GetLane(hn::MinOfLanes(Floats(), one.unit))};
}

BlockOfValues block_of_values(const float* values, int64_t count) {
  return block_of<Summand::kValue>(values, count);
}

BlockOfValues block_of_squares(const float* values, int64_t count) {
  return block_of<Summand::kSquare>(values, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {
namespace {

HWY_EXPORT(block_of_values);
HWY_EXPORT(block_of_squares);

constexpr int64_t kSumBlock = 1024;  // a multiple of the lanes of every target, twice

/// The largest power of two that it is a multiple of; infinite for 0.
double unit_of(double value) {
  if (value == 0 || !std::isfinite(value)) {
    return value == 0 ? std::numeric_limits<double>::infinity() : 0;
  }
  int exponent = 0;
  const auto digits = static_cast<int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  return std::ldexp(static_cast<double>(digits & -digits), exponent - 53);
}

/// Whether each sum of `sum` and some of the block's `count` values or squares is a double.
bool is_exact(Summand summand, double sum, const BlockOfValues& block, int64_t count) {
  double largest = block.largest;
  double unit = block.unit;
  if (summand == Summand::kSquare) {
    largest *= largest;
    unit *= unit;
  }
  const double most = std::abs(sum) + largest * static_cast<double>(count);
  // Half of what there is, as `most` is rounded.
  return std::isfinite(most) && most <= std::min(unit, unit_of(sum)) * 0x1p52;
}

}  // namespace

double ordered_sum(Summand summand, double sum, const float* values, int64_t count) {
  int64_t at = 0;
  for (; at + kSumBlock <= count; at += kSumBlock) {
    const BlockOfValues block = summand == Summand::kValue
                                    ? HWY_DYNAMIC_DISPATCH(block_of_values)(values + at, kSumBlock)
                                    : HWY_DYNAMIC_DISPATCH(block_of_squares)(values + at, kSumBlock);
    if (!is_exact(summand, sum, block, kSumBlock)) {
      break;
    }
    sum += block.sum;
  }
  for (; at < count; ++at) {
    const double value = values[at];
    sum += summand == Summand::kValue ? value : value * value;
  }
  return sum;
}

}  // namespace forebay::kernels
#endif
