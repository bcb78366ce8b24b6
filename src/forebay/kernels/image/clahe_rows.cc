#include "forebay/kernels/image/clahe_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/image/clahe_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/pixels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

using LevelWeights = hn::CappedTag<float, kRowOfTilesMultiple>;
using LevelBits = hn::RebindToUnsigned<LevelWeights>;
using LevelPlaces = hn::RebindToSigned<LevelWeights>;
using LevelBytes = hn::Rebind<uint8_t, LevelWeights>;

template <int kByte>
HWY_INLINE hn::Vec<LevelWeights> level_of(hn::Vec<LevelBits> levels) {
  const auto byte = hn::And(hn::ShiftRight<8 * kByte>(levels), hn::Set(LevelBits(), 0xff));
  return hn::ConvertTo(LevelWeights(), hn::BitCast(LevelPlaces(), byte));
}

void blend_row_of_tiles(const uint8_t* in, int64_t width, const TilesOfRow& tiles, uint8_t* out) {
  const LevelWeights d;
  const LevelPlaces places;
  const auto one = hn::Set(d, 1.0f);
  const auto lower = hn::Set(d, tiles.lower);
  const auto upper = hn::Set(d, 1.0f - tiles.lower);
  for (int64_t x = 0; x < width; x += static_cast<int64_t>(hn::Lanes(d))) {
    const auto pixel = hn::PromoteTo(places, hn::LoadU(LevelBytes(), in + x));
    const auto place = hn::Add(hn::LoadU(places, tiles.pairs + x), pixel);
    const auto levels = hn::GatherIndex(LevelBits(), tiles.levels, place);
    const auto right = hn::LoadU(d, tiles.right + x);
    const auto left = hn::Sub(one, right);
    const auto above = hn::Add(hn::Mul(level_of<0>(levels), left), hn::Mul(level_of<1>(levels), right));
    const auto below = hn::Add(hn::Mul(level_of<2>(levels), left), hn::Mul(level_of<3>(levels), right));
    const auto level = hn::Add(hn::Mul(above, upper), hn::Mul(below, lower));
    hn::StoreU(hn::DemoteTo(LevelBytes(), truncate(d, round_to_even(d, level))), LevelBytes(), out + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(blend_row_of_tiles);

void blend_tiles(const uint8_t* in, int64_t width, const TilesOfRow& tiles, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(blend_row_of_tiles)(in, width, tiles, out);
}

}  // namespace forebay::kernels
#endif
