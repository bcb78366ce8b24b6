// a * b + c with one rounding and the same bits on every target. Targets without the instruction compute it
// in double precision: the product is exact there, and the sum is rounded to odd, so that the final rounding
// to float gives the result of a single rounding (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums: proved algorithms using rounding to odd", IEEE Transactions on Computers 57(4), 2008).
// Included once per SIMD target.
#if defined(FOREBAY_KERNELS_IMAGE_FUSED_ADD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOREBAY_KERNELS_IMAGE_FUSED_ADD_INL_H_
#undef FOREBAY_KERNELS_IMAGE_FUSED_ADD_INL_H_
#else
#define FOREBAY_KERNELS_IMAGE_FUSED_ADD_INL_H_
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if !HWY_NATIVE_FMA

// `sum` is product + addend, rounded to nearest. Returns it if it is exact, else the neighbour whose last bit
// is set.
HWY_INLINE double round_to_odd(double sum, double product, double addend) {
  const double virtual_addend = sum - product;
  const double error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
  auto bits = std::bit_cast<int64_t>(sum);
  const bool is_exact = !(error < 0) && !(error > 0);  // or not a number
  if (!is_exact && (bits & 1) == 0) {
    bits += (error > 0) == (sum > 0) ? 1 : -1;
  }
  return std::bit_cast<double>(bits);
}

template <class D>
HWY_INLINE hn::Vec<D> fused_add(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  HWY_ALIGN float factors[kLanes];
  HWY_ALIGN float weights[kLanes];
  HWY_ALIGN float sums[kLanes];
  hn::Store(a, d, factors);
  hn::Store(b, d, weights);
  hn::Store(c, d, sums);
  for (size_t i = 0; i < kLanes; ++i) {
    const double product = static_cast<double>(factors[i]) * static_cast<double>(weights[i]);
    const double addend = static_cast<double>(sums[i]);
    sums[i] = static_cast<float>(round_to_odd(product + addend, product, addend));
  }
  return hn::Load(d, sums);
}

#else

template <class D>
HWY_INLINE hn::Vec<D> fused_add(D /*d*/, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
  return hn::MulAdd(a, b, c);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#endif
