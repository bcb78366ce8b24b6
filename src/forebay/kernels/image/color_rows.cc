#include "forebay/kernels/image/color_rows.h"

#include "forebay/kernels/generic/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/image/color_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/pixels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

using ColorTag = hn::CappedTag<float, 16>;

/// Rounded where it becomes an integer; NaN gives 0 there.
template <class Out>
HWY_INLINE hn::Vec<hn::Rebind<Out, ColorTag>> stored(hn::Vec<ColorTag> value) {
  const ColorTag d;
  if constexpr (std::is_same_v<Out, float>) {
    return value;
  } else {
    const hn::Rebind<Out, ColorTag> narrow;
    return hn::DemoteTo(narrow, round_away<Out>(d, clamp_to<Out>(d, value)));
  }
}

template <class T>
HWY_INLINE hn::Vec<ColorTag> widened(hn::Vec<hn::Rebind<T, ColorTag>> value) {
  const ColorTag d;
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else {
    return hn::ConvertTo(d, hn::PromoteTo(hn::RebindToSigned<ColorTag>(), value));
  }
}

template <class In, class Out>
HWY_INLINE void scale_all(const In* in, int64_t size, float factor, float addend, Out* out) {
  const ColorTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factors = hn::Set(d, factor);
  const auto addends = hn::Set(d, addend);
  const auto scaled = [&](int64_t at)
                          HWY_ATTR { return hn::Add(hn::Mul(load_float(d, in + at), factors), addends); };
  int64_t i = 0;
  if constexpr (std::is_same_v<Out, uint8_t>) {
    for (; i + 4 * lanes <= size; i += 4 * lanes) {
      store_rounded_four<HalvesAway>(d, clamp_to<Out>(d, scaled(i)), clamp_to<Out>(d, scaled(i + lanes)),
                                     clamp_to<Out>(d, scaled(i + 2 * lanes)),
                                     clamp_to<Out>(d, scaled(i + 3 * lanes)), out + i);
    }
  }
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(stored<Out>(scaled(i)), hn::Rebind<Out, ColorTag>(), out + i);
  }
  for (; i < size; ++i) {
    out[i] = convert_saturated<Out>(static_cast<float>(in[i]) * factor + addend);
  }
}

HWY_INLINE float mixed(const ColorRow& row, float a, float b, float c) {
  return row.weights[0] * a + row.weights[1] * b + row.weights[2] * c + row.offset;
}

struct RowVectors {
  explicit RowVectors(const ColorRow& row)
      : a(hn::Set(ColorTag(), row.weights[0])),
        b(hn::Set(ColorTag(), row.weights[1])),
        c(hn::Set(ColorTag(), row.weights[2])),
        offset(hn::Set(ColorTag(), row.offset)) {}

  HWY_INLINE hn::Vec<ColorTag> of(hn::Vec<ColorTag> x, hn::Vec<ColorTag> y, hn::Vec<ColorTag> z) const {
    return hn::Add(hn::Add(hn::Add(hn::Mul(a, x), hn::Mul(b, y)), hn::Mul(c, z)), offset);
  }

  hn::Vec<ColorTag> a;
  hn::Vec<ColorTag> b;
  hn::Vec<ColorTag> c;
  hn::Vec<ColorTag> offset;
};

template <class In>
HWY_INLINE void load_three(const In* in, hn::Vec<ColorTag>& a, hn::Vec<ColorTag>& b, hn::Vec<ColorTag>& c) {
  const hn::Rebind<In, ColorTag> narrow;
  hn::Vec<decltype(narrow)> x;
  hn::Vec<decltype(narrow)> y;
  hn::Vec<decltype(narrow)> z;
  hn::LoadInterleaved3(narrow, in, x, y, z);
  a = widened<In>(x);
  b = widened<In>(y);
  c = widened<In>(z);
}

template <class In, class Out>
HWY_INLINE void transform_all(const In* in, int64_t pixels, const ColorRows& rows, Out* out) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(ColorTag()));
  const RowVectors first(rows[0]);
  const RowVectors second(rows[1]);
  const RowVectors third(rows[2]);
  int64_t i = 0;
  for (; i + lanes <= pixels; i += lanes) {
    hn::Vec<ColorTag> a;
    hn::Vec<ColorTag> b;
    hn::Vec<ColorTag> c;
    load_three(in + 3 * i, a, b, c);
    hn::StoreInterleaved3(stored<Out>(first.of(a, b, c)), stored<Out>(second.of(a, b, c)),
                          stored<Out>(third.of(a, b, c)), hn::Rebind<Out, ColorTag>(), out + 3 * i);
  }
  for (; i < pixels; ++i) {
    const auto a = static_cast<float>(in[3 * i]);
    const auto b = static_cast<float>(in[3 * i + 1]);
    const auto c = static_cast<float>(in[3 * i + 2]);
    for (int row = 0; row < 3; ++row) {
      out[3 * i + row] = convert_saturated<Out>(mixed(rows[row], a, b, c));
    }
  }
}

void scale_bytes(const uint8_t* in, int64_t size, float factor, float addend, uint8_t* out) {
  scale_all(in, size, factor, addend, out);
}
void scale_bytes_to_floats(const uint8_t* in, int64_t size, float factor, float addend, float* out) {
  scale_all(in, size, factor, addend, out);
}
void scale_floats(const float* in, int64_t size, float factor, float addend, float* out) {
  scale_all(in, size, factor, addend, out);
}
void transform_bytes(const uint8_t* in, int64_t pixels, const ColorRows& rows, uint8_t* out) {
  transform_all(in, pixels, rows, out);
}
void transform_bytes_to_floats(const uint8_t* in, int64_t pixels, const ColorRows& rows, float* out) {
  transform_all(in, pixels, rows, out);
}
void transform_floats(const float* in, int64_t pixels, const ColorRows& rows, float* out) {
  transform_all(in, pixels, rows, out);
}

void swap_bytes(const uint8_t* in, int64_t pixels, uint8_t* out) {
  const hn::CappedTag<uint8_t, 64> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= pixels; i += lanes) {
    hn::Vec<decltype(d)> first;
    hn::Vec<decltype(d)> second;
    hn::Vec<decltype(d)> third;
    hn::LoadInterleaved3(d, in + 3 * i, first, second, third);
    hn::StoreInterleaved3(third, second, first, d, out + 3 * i);
  }
  for (; i < pixels; ++i) {
    const uint8_t first = in[3 * i];
    out[3 * i + 1] = in[3 * i + 1];
    out[3 * i] = in[3 * i + 2];
    out[3 * i + 2] = first;
  }
}

void mix_bytes(const uint8_t* in, int64_t pixels, const ColorRow& row, uint8_t* out) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(ColorTag()));
  const RowVectors vectors(row);
  int64_t i = 0;
  for (; i + lanes <= pixels; i += lanes) {
    hn::Vec<ColorTag> a;
    hn::Vec<ColorTag> b;
    hn::Vec<ColorTag> c;
    load_three(in + 3 * i, a, b, c);
    hn::StoreU(stored<uint8_t>(vectors.of(a, b, c)), hn::Rebind<uint8_t, ColorTag>(), out + i);
  }
  for (; i < pixels; ++i) {
    const uint8_t* pixel = in + 3 * i;
    out[i] = convert_saturated<uint8_t>(mixed(row, pixel[0], pixel[1], pixel[2]));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(scale_bytes);
HWY_EXPORT(scale_bytes_to_floats);
HWY_EXPORT(scale_floats);
HWY_EXPORT(transform_bytes);
HWY_EXPORT(transform_bytes_to_floats);
HWY_EXPORT(transform_floats);
HWY_EXPORT(swap_bytes);
HWY_EXPORT(mix_bytes);

void scale_and_add(const uint8_t* in, int64_t size, float factor, float addend, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(scale_bytes)(in, size, factor, addend, out);
}
void scale_and_add(const uint8_t* in, int64_t size, float factor, float addend, float* out) {
  HWY_DYNAMIC_DISPATCH(scale_bytes_to_floats)(in, size, factor, addend, out);
}
void scale_and_add(const float* in, int64_t size, float factor, float addend, float* out) {
  HWY_DYNAMIC_DISPATCH(scale_floats)(in, size, factor, addend, out);
}
void transform_three(const uint8_t* in, int64_t pixels, const ColorRows& rows, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(transform_bytes)(in, pixels, rows, out);
}
void transform_three(const uint8_t* in, int64_t pixels, const ColorRows& rows, float* out) {
  HWY_DYNAMIC_DISPATCH(transform_bytes_to_floats)(in, pixels, rows, out);
}
void transform_three(const float* in, int64_t pixels, const ColorRows& rows, float* out) {
  HWY_DYNAMIC_DISPATCH(transform_floats)(in, pixels, rows, out);
}
void swap_three(const uint8_t* in, int64_t pixels, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(swap_bytes)(in, pixels, out);
}
void mix_three(const uint8_t* in, int64_t pixels, const ColorRow& row, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(mix_bytes)(in, pixels, row, out);
}

}  // namespace forebay::kernels
#endif
