#include "forebay/kernels/image/sampled_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/image/sampled_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/pixels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
using Pixel = hn::FixedTag<float, 4>;
using PixelBytes = hn::Rebind<uint8_t, Pixel>;
using Channels = hn::Vec<Pixel>;

/// A pixel, and the first byte of the one behind it.
HWY_INLINE Channels load_pixel(const uint8_t* from) {
  return hn::ConvertTo(Pixel(), hn::PromoteTo(hn::RebindToSigned<Pixel>(), hn::LoadU(PixelBytes(), from)));
}

template <class Halves>
struct ByDifferences {
  static HWY_INLINE Channels along_x(Channels left, Channels right, float fraction) {
    return hn::Add(left, hn::Mul(hn::Sub(right, left), hn::Set(Pixel(), fraction)));
  }
  static HWY_INLINE hn::Vec<PixelBytes> stored(Channels value) {
    return hn::DemoteTo(PixelBytes(), Halves::template rounded<uint8_t>(Pixel(), value));
  }
};

struct ByWeights {
  static HWY_INLINE Channels along_x(Channels left, Channels right, float fraction) {
    return hn::Add(hn::Mul(left, hn::Set(Pixel(), 1 - fraction)), hn::Mul(right, hn::Set(Pixel(), fraction)));
  }
  static HWY_INLINE hn::Vec<PixelBytes> stored(Channels value) {
    return hn::DemoteTo(PixelBytes(), HalvesAway::rounded<uint8_t>(Pixel(), value));
  }
};

template <class Blend>
HWY_INLINE void linear_row(const SampledImage& image, std::span<const float> xs, std::span<const float> ys,
                           float origin, SampleAlone alone, uint8_t* out) {
  const auto right_end = static_cast<float>(image.width - 1);
  const auto lower_end = static_cast<float>(image.height - 1);
  const int64_t row = 3 * image.width;
  const int64_t last = row * image.height - 4;  // four bytes can be read there
  const auto size = static_cast<int64_t>(xs.size());
  for (int64_t i = 0; i < size; ++i, out += 3) {
    const float x = xs[static_cast<size_t>(i)] - origin;
    const float y = ys[static_cast<size_t>(i)] - origin;
    const bool is_inside = x >= 0 && x < right_end && y >= 0 && y < lower_end;
    const int32_t column = is_inside ? static_cast<int32_t>(x) : 0;
    const int32_t line = is_inside ? static_cast<int32_t>(y) : 0;
    const int64_t at = line * row + 3 * int64_t{column};
    if (!is_inside || at + row + 3 > last || i + 1 == size) {
      alone(i, out);
      continue;
    }
    const uint8_t* const upper = image.data + at;
    const float fraction = x - static_cast<float>(column);
    const Channels above = Blend::along_x(load_pixel(upper), load_pixel(upper + 3), fraction);
    const Channels below = Blend::along_x(load_pixel(upper + row), load_pixel(upper + row + 3), fraction);
    const auto down = hn::Set(Pixel(), y - static_cast<float>(line));
    const Channels value = hn::Add(above, hn::Mul(hn::Sub(below, above), down));
    hn::StoreU(Blend::stored(value), PixelBytes(), out);  // the next pixel's first byte is written again
  }
}

void remap_row(const SampledImage& image, std::span<const float> xs, std::span<const float> ys,
               bool halves_away, SampleAlone alone, uint8_t* out) {
  if (halves_away) {
    linear_row<ByDifferences<HalvesAway>>(image, xs, ys, 0.0f, alone, out);
  } else {
    linear_row<ByDifferences<HalvesToEven>>(image, xs, ys, 0.0f, alone, out);
  }
}
void warp_row(const SampledImage& image, std::span<const float> xs, std::span<const float> ys,
              SampleAlone alone, uint8_t* out) {
  linear_row<ByWeights>(image, xs, ys, 0.5f, alone, out);
}
#else
void remap_row(const SampledImage&, std::span<const float> xs, std::span<const float>, bool,
               SampleAlone alone, uint8_t* out) {
  for (size_t i = 0; i < xs.size(); ++i) {
    alone(static_cast<int64_t>(i), out + 3 * i);
  }
}
void warp_row(const SampledImage& image, std::span<const float> xs, std::span<const float> ys,
              SampleAlone alone, uint8_t* out) {
  remap_row(image, xs, ys, false, alone, out);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(remap_row);
HWY_EXPORT(warp_row);

void remap_linear_row(const SampledImage& image, std::span<const float> xs, std::span<const float> ys,
                      bool halves_away, SampleAlone alone, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(remap_row)(image, xs, ys, halves_away, alone, out);
}

void warp_linear_row(const SampledImage& image, std::span<const float> xs, std::span<const float> ys,
                     SampleAlone alone, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(warp_row)(image, xs, ys, alone, out);
}

}  // namespace forebay::kernels
#endif
