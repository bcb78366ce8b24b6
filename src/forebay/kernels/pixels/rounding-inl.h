// Rounds float vectors to integers, half away from zero or to even, the same on every target. Included once
// per SIMD target.
#if defined(FOREBAY_KERNELS_IMAGE_ROUNDING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOREBAY_KERNELS_IMAGE_ROUNDING_INL_H_
#undef FOREBAY_KERNELS_IMAGE_ROUNDING_INL_H_
#else
#define FOREBAY_KERNELS_IMAGE_ROUNDING_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rounds values of less than 2^22 half to even; they stay floats.
template <class D>
HWY_INLINE hn::Vec<D> round_to_even(D d, hn::Vec<D> value) {
  const auto shift = hn::Set(d, 12582912.0f);  // 1.5 * 2^23: what is added to it has no fraction
  return hn::Sub(hn::Add(value, shift), shift);
}

// Converts values within int32, truncated or rounded half to even. Highway's own functions also saturate on
// x86, which costs more than everything else.
template <bool kTruncates, class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> to_integers(D d, hn::Vec<D> value) {
  const hn::RebindToSigned<D> di;
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  using Integers = hn::Vec<decltype(di)>;
  if constexpr (sizeof(value) == 16) {
    return Integers{kTruncates ? _mm_cvttps_epi32(value.raw) : _mm_cvtps_epi32(value.raw)};
  }
#if HWY_MAX_BYTES >= 32
  if constexpr (sizeof(value) == 32) {
    return Integers{kTruncates ? _mm256_cvttps_epi32(value.raw) : _mm256_cvtps_epi32(value.raw)};
  }
#endif
#if HWY_MAX_BYTES >= 64
  if constexpr (sizeof(value) == 64) {
    return Integers{kTruncates ? _mm512_cvttps_epi32(value.raw) : _mm512_cvtps_epi32(value.raw)};
  }
#endif
#else
  return hn::ConvertTo(di, kTruncates ? value : round_to_even(d, value));
#endif
}

template <class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> truncate(D d, hn::Vec<D> value) {
  return to_integers<true>(d, value);
}

// Rounds half away from zero. The addend is the largest float below 0.5: with 0.5 itself, 0.49999997 would
// become 1. Sums of pixels are always within int32; clamp values that may be larger first.
template <class T, class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> round_away(D d, hn::Vec<D> value) {
  const auto half = hn::Set(d, 0.49999997f);
  if constexpr (std::numeric_limits<T>::is_signed) {
    return truncate(d, hn::Add(value, hn::CopySignToAbs(half, value)));
  } else {
    return truncate(d, hn::Add(value, half));  // values below 0 become at most 0
  }
}

// Which way halves go: a choice of the stores below.
struct HalvesAway {
  template <class T, class D>
  static HWY_INLINE hn::Vec<hn::RebindToSigned<D>> rounded(D d, hn::Vec<D> value) {
    return round_away<T>(d, value);
  }
};
struct HalvesToEven {
  template <class T, class D>
  static HWY_INLINE hn::Vec<hn::RebindToSigned<D>> rounded(D d, hn::Vec<D> value) {
    return to_integers<false>(d, value);
  }
};

template <class T, class D>
HWY_INLINE hn::Vec<D> clamp_to(D d, hn::Vec<D> value) {
  using Limits = std::numeric_limits<T>;
  return hn::Min(hn::Max(value, hn::Set(d, static_cast<float>(Limits::min()))),
                 hn::Set(d, static_cast<float>(Limits::max())));
}

// Loads lanes of any pixel type as float.
template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const float* from) {
  return hn::LoadU(d, from);
}
template <class D, class T>
HWY_INLINE hn::Vec<D> load_float(D d, const T* from) {
  const hn::RebindToSigned<D> di;
  return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(hn::Rebind<T, D>(), from)));
}

// Stores lanes as T; integers are rounded and saturated (values must be within int32).
template <class Halves, class D>
HWY_INLINE void store_rounded(D d, hn::Vec<D> value, float* to) {
  hn::StoreU(value, d, to);
}
template <class Halves, class D, class T>
HWY_INLINE void store_rounded(D d, hn::Vec<D> value, T* to) {
  const hn::Rebind<T, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, Halves::template rounded<T>(d, value)), narrow, to);
}

#if HWY_TARGET != HWY_SCALAR
// Stores two adjacent vectors as bytes, rounded and saturated.
template <class Halves, class D>
HWY_INLINE void store_rounded_two(D d, hn::Vec<D> value0, hn::Vec<D> value1, uint8_t* to) {
  const hn::Repartition<int16_t, D> words;
  const hn::Rebind<uint8_t, decltype(words)> bytes;
  const auto packed =
      hn::DemoteTo(bytes, hn::ReorderDemote2To(words, Halves::template rounded<uint8_t>(d, value0),
                                               Halves::template rounded<uint8_t>(d, value1)));
  constexpr size_t kBlocks = hn::MaxLanes(D()) / 4;
  if constexpr (kBlocks > 1) {  // packed block by block: block j of value i is group 2 * j + i
    const hn::Repartition<int32_t, decltype(bytes)> groups;
    HWY_ALIGN int32_t order[2 * kBlocks];
    for (size_t block = 0; block < kBlocks; ++block) {
      order[block] = static_cast<int32_t>(2 * block);
      order[kBlocks + block] = static_cast<int32_t>(2 * block + 1);
    }
    const auto indices = hn::SetTableIndices(groups, order);
    hn::StoreU(hn::BitCast(bytes, hn::TableLookupLanes(hn::BitCast(groups, packed), indices)), bytes, to);
  } else {
    hn::StoreU(packed, bytes, to);
  }
}
#endif

// Stores four adjacent vectors.
template <class Halves, class D, class T>
HWY_INLINE void store_rounded_four(D d, hn::Vec<D> value0, hn::Vec<D> value1, hn::Vec<D> value2,
                                   hn::Vec<D> value3, T* to) {
  const size_t lanes = hn::Lanes(d);
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, uint8_t>) {
    store_rounded_two<Halves>(d, value0, value1, to);
    store_rounded_two<Halves>(d, value2, value3, to + 2 * lanes);
    return;
  }
#endif
  store_rounded<Halves>(d, value0, to);
  store_rounded<Halves>(d, value1, to + lanes);
  store_rounded<Halves>(d, value2, to + 2 * lanes);
  store_rounded<Halves>(d, value3, to + 3 * lanes);
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#endif
