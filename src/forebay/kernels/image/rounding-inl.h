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

// Clamped to the range of T (8 or 16 bits), rounded half away from zero.
template <class T, class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> round_saturated(D d, hn::Vec<D> value) {
  using Limits = std::numeric_limits<T>;
  const hn::RebindToSigned<D> di;
  const auto clamped = hn::Min(hn::Max(value, hn::Set(d, static_cast<float>(Limits::min()))),
                               hn::Set(d, static_cast<float>(Limits::max())));
  const auto whole = hn::ConvertTo(di, clamped);  // truncates
  const auto rest = hn::Sub(clamped, hn::ConvertTo(d, whole));
  const auto up = hn::VecFromMask(di, hn::RebindMask(di, hn::Ge(rest, hn::Set(d, 0.5f))));  // -1 where true
  auto rounded = hn::Sub(whole, up);
  if constexpr (Limits::is_signed) {
    rounded = hn::Add(rounded, hn::VecFromMask(di, hn::RebindMask(di, hn::Le(rest, hn::Set(d, -0.5f)))));
  }
  return rounded;
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

// Stores lanes as T, rounded and saturated for integers.
template <class D>
HWY_INLINE void store_rounded(D d, hn::Vec<D> value, float* to) {
  hn::StoreU(value, d, to);
}
template <class D, class T>
HWY_INLINE void store_rounded(D d, hn::Vec<D> value, T* to) {
  const hn::Rebind<T, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, round_saturated<T>(d, value)), narrow, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#endif
