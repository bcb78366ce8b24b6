#include "forebay/kernels/image/grid_rows.h"

#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/image/grid_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void find_black(const Grid& grid, float y, std::span<uint8_t> is_black) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> integers;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const auto ratio = hn::Set(d, grid.ratio);
  const auto is_in_square = [&](auto place)
                                HWY_ATTR { return hn::Lt(hn::Sub(place, hn::Floor(place)), ratio); };
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= is_black.size(); i += lanes) {
    const auto x = hn::Iota(d, static_cast<float>(i));
    const auto u = hn::Sub(hn::Sub(hn::Mul(x, hn::Set(d, grid.cosine)), hn::Set(d, y * grid.sine)),
                           hn::Set(d, grid.shift_x));
    const auto v = hn::Sub(hn::Add(hn::Mul(x, hn::Set(d, grid.sine)), hn::Set(d, y * grid.cosine)),
                           hn::Set(d, grid.shift_y));
    const auto both = hn::RebindMask(integers, hn::And(is_in_square(u), is_in_square(v)));
    hn::StoreU(hn::DemoteTo(bytes, hn::IfThenElseZero(both, hn::Set(integers, 1))), bytes,
               is_black.data() + i);
  }
  for (; i < is_black.size(); ++i) {
    const auto x = static_cast<float>(i);
    const float u = x * grid.cosine - y * grid.sine - grid.shift_x;
    const float v = x * grid.sine + y * grid.cosine - grid.shift_y;
    is_black[i] = u - std::floor(u) < grid.ratio && v - std::floor(v) < grid.ratio ? 1 : 0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(find_black);

void mask_grid_row(const Grid& grid, float y, size_t pixel_bytes, std::span<uint8_t> is_black,
                   const std::byte* from, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(find_black)(grid, y, is_black);
  for (size_t at = 0; at < is_black.size();) {
    const void* const end = std::memchr(is_black.data() + at, 1 - is_black[at], is_black.size() - at);
    const size_t next = end == nullptr ? is_black.size() : static_cast<const uint8_t*>(end) - is_black.data();
    if (is_black[at] != 0) {
      std::memset(to + at * pixel_bytes, 0, (next - at) * pixel_bytes);
    } else {
      std::memcpy(to + at * pixel_bytes, from + at * pixel_bytes, (next - at) * pixel_bytes);  // copy: pixels
    }
    at = next;
  }
}

}  // namespace forebay::kernels
#endif
