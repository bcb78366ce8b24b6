// Rounding of float vectors to integers, the same on every target: half away from zero. Included once a SIMD
// target.
#if defined(FOREBAY_KERNELS_IMAGE_ROUNDING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOREBAY_KERNELS_IMAGE_ROUNDING_INL_H_
#undef FOREBAY_KERNELS_IMAGE_ROUNDING_INL_H_
#else
#define FOREBAY_KERNELS_IMAGE_ROUNDING_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rounded half away from zero. The addend is the float before 0.5: with 0.5 itself, 0.49999997 would
// become 1. Sums of pixels never leave the range of int32; where values can be larger, clamp before.
template <class T, class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> round_away(D d, hn::Vec<D> value) {
  const auto half = hn::Set(d, 0.49999997f);
  const hn::RebindToSigned<D> di;
  if constexpr (std::numeric_limits<T>::is_signed) {
    return hn::ConvertTo(di, hn::Add(value, hn::CopySignToAbs(half, value)));  // ConvertTo truncates
  } else {
    return hn::ConvertTo(di, hn::Add(value, half));  // what is below 0 becomes at most 0
  }
}

template <class T, class D>
HWY_INLINE hn::Vec<D> clamp_to(D d, hn::Vec<D> value) {
  using Limits = std::numeric_limits<T>;
  return hn::Min(hn::Max(value, hn::Set(d, static_cast<float>(Limits::min()))),
                 hn::Set(d, static_cast<float>(Limits::max())));
}

// Loads lanes of any of the pixel types as float.
template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const float* from) {
  return hn::LoadU(d, from);
}
template <class D, class T>
HWY_INLINE hn::Vec<D> load_float(D d, const T* from) {
  const hn::RebindToSigned<D> di;
  return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(hn::Rebind<T, D>(), from)));
}

// Stores lanes as T, rounded and saturated for integers (of values within int32).
template <class D>
HWY_INLINE void store_rounded(D d, hn::Vec<D> value, float* to) {
  hn::StoreU(value, d, to);
}
template <class D, class T>
HWY_INLINE void store_rounded(D d, hn::Vec<D> value, T* to) {
  const hn::Rebind<T, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, round_away<T>(d, value)), narrow, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#endif
