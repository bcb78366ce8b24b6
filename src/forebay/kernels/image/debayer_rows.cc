#include "forebay/kernels/image/debayer_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/image/debayer_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "forebay/kernels/pixels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {

// As many pixels as there are floats in a vector: sums are 16 bits wide, and become floats once.
using Wide = hn::CappedTag<float, 16>;
using Sums = hn::Rebind<int16_t, Wide>;
using Sum = hn::Vec<Sums>;
using Bytes = hn::Rebind<uint8_t, Wide>;

HWY_INLINE int64_t pixels_at_once() {
  return static_cast<int64_t>(hn::Lanes(Wide()));
}

/// The pixels around some next to each other.
struct Around {
  const uint8_t* at;
  int64_t pitch;

  HWY_INLINE Sum operator()(int64_t dy, int64_t dx) const {
    return hn::PromoteTo(Sums(), hn::LoadU(Bytes(), at + dy * pitch + dx));
  }
  HWY_INLINE Sum across() const { return hn::Add((*this)(0, -1), (*this)(0, 1)); }
  HWY_INLINE Sum along() const { return hn::Add((*this)(-1, 0), (*this)(1, 0)); }
  HWY_INLINE Sum corners() const {
    return hn::Add(hn::Add((*this)(-1, -1), (*this)(-1, 1)), hn::Add((*this)(1, -1), (*this)(1, 1)));
  }
};

HWY_INLINE Sum twice(Sum value) {
  return hn::Add(value, value);
}

HWY_INLINE Sum apart(Sum a, Sum b) {
  return hn::Abs(hn::Sub(a, b));
}

/// value / 2^kBits, rounded up from the half.
template <int kBits>
HWY_INLINE Sum rounded_part(Sum value) {
  return hn::ShiftRight<kBits>(hn::Add(value, hn::Set(Sums(), 1 << (kBits - 1))));
}

/// What a pixel did not measure: see debayer.cc.
struct MissingSums {
  Sum first;
  Sum second;
};

struct BilinearSums {
  static HWY_INLINE MissingSums at_green(const Around& p) {
    return {rounded_part<1>(p.across()), rounded_part<1>(p.along())};
  }
  static HWY_INLINE MissingSums at_color(const Around& p) {
    return {rounded_part<2>(hn::Add(p.across(), p.along())), rounded_part<2>(p.corners())};
  }
};

struct EdgeAwareSums {
  static HWY_INLINE MissingSums at_green(const Around& p) { return BilinearSums::at_green(p); }
  static HWY_INLINE MissingSums at_color(const Around& p) {
    const auto is_flat_along = hn::Gt(apart(p(0, -1), p(0, 1)), apart(p(1, 0), p(-1, 0)));
    return {rounded_part<1>(hn::IfThenElse(is_flat_along, p.along(), p.across())),
            rounded_part<2>(p.corners())};
  }
};

/// Which pixels from `x` on are green.
HWY_INLINE hn::Mask<Sums> greens(int64_t x, int green_phase) {
  const auto places = hn::Iota(Sums(), static_cast<int16_t>((x ^ green_phase) & 1));
  return hn::Eq(hn::And(places, hn::Set(Sums(), 1)), hn::Zero(Sums()));
}

HWY_INLINE void store_pixels(const MosaicRow& row, int64_t x, Sum own, hn::Mask<Sums> is_green,
                             MissingSums found) {
  const auto of_row = hn::DemoteTo(Bytes(), hn::IfThenElse(is_green, found.first, own));
  const auto green = hn::DemoteTo(Bytes(), hn::IfThenElse(is_green, own, found.first));
  const auto other = hn::DemoteTo(Bytes(), found.second);
  uint8_t* const to = row.out + 3 * x;
  if (row.is_blue) {
    hn::StoreInterleaved3(other, green, of_row, Bytes(), to);
  } else {
    hn::StoreInterleaved3(of_row, green, other, Bytes(), to);
  }
}

HWY_INLINE MissingSums chosen(hn::Mask<Sums> is_green, const MissingSums& at_green,
                              const MissingSums& at_color) {
  return {hn::IfThenElse(is_green, at_green.first, at_color.first),
          hn::IfThenElse(is_green, at_green.second, at_color.second)};
}

template <class Method>
HWY_INLINE int64_t debayer_row(const MosaicRow& row) {
  int64_t x = row.begin;
  for (; x + pixels_at_once() <= row.end; x += pixels_at_once()) {
    const Around p{row.in + x, row.pitch};
    const auto is_green = greens(x, row.green_phase);
    store_pixels(row, x, p(0, 0), is_green, chosen(is_green, Method::at_green(p), Method::at_color(p)));
  }
  return x;
}

int64_t bilinear_row(const MosaicRow& row) {
  return debayer_row<BilinearSums>(row);
}
int64_t edge_aware_row(const MosaicRow& row) {
  return debayer_row<EdgeAwareSums>(row);
}

/// In 2^16ths of grey: 4 * 255 * 2^14 at most.
int64_t gray_row(const MosaicRow& row) {
  using Parts = hn::RebindToSigned<Wide>;
  const auto part = [](Sum sum, int weight)
                        HWY_ATTR { return hn::Mul(hn::PromoteTo(Parts(), sum), hn::Set(Parts(), weight)); };
  constexpr int kRed = 4899;
  constexpr int kGreen = 9617;
  constexpr int kBlue = 1868;
  const int of_row = row.is_blue ? kBlue : kRed;
  const int of_other = row.is_blue ? kRed : kBlue;
  int64_t x = row.begin;
  for (; x + pixels_at_once() <= row.end; x += pixels_at_once()) {
    const Around p{row.in + x, row.pitch};
    const auto is_green = greens(x, row.green_phase);
    const Sum own = hn::ShiftLeft<2>(p(0, 0));
    const Sum across = p.across();
    const Sum along = p.along();
    const Sum of_row_sum = hn::IfThenElse(is_green, twice(across), own);
    const Sum of_green_sum = hn::IfThenElse(is_green, own, hn::Add(across, along));
    const Sum of_other_sum = hn::IfThenElse(is_green, twice(along), p.corners());
    const auto sum = hn::Add(hn::Add(part(of_row_sum, of_row), part(of_green_sum, kGreen)),
                             hn::Add(part(of_other_sum, of_other), hn::Set(Parts(), 1 << 15)));
    hn::StoreU(hn::DemoteTo(Bytes(), hn::ShiftRight<16>(sum)), Bytes(), row.out + x);
  }
  return x;
}

enum Field : int64_t { kVertical, kHorizontal, kRising, kFalling, kRisingWide, kFallingWide, kCross };

void find_gradients(const uint8_t* in, int64_t pitch, int64_t y, int64_t width, const MosaicGradients& to) {
  for (int64_t x = -1; x < width + 1; x += pixels_at_once()) {
    const Around p{in + x, pitch};
    const auto put = [&](Field field, Sum value)
                         HWY_ATTR { hn::StoreU(value, Sums(), to.field(y, field) + x); };
    const Sum rising = twice(apart(p(-1, 1), p(1, -1)));
    const Sum falling = twice(apart(p(-1, -1), p(1, 1)));
    put(kVertical, hn::Add(hn::Add(apart(p(-1, -1), p(1, -1)), twice(apart(p(-1, 0), p(1, 0)))),
                           apart(p(-1, 1), p(1, 1))));
    put(kHorizontal, hn::Add(hn::Add(apart(p(-1, -1), p(-1, 1)), twice(apart(p(0, -1), p(0, 1)))),
                             apart(p(1, -1), p(1, 1))));
    put(kRising, rising);
    put(kFalling, falling);
    put(kRisingWide, hn::Add(rising, hn::Add(apart(p(-1, 0), p(0, -1)), apart(p(1, 0), p(0, 1)))));
    put(kFallingWide, hn::Add(falling, hn::Add(apart(p(-1, 0), p(0, 1)), apart(p(1, 0), p(0, -1)))));
    put(kCross, hn::ShiftRight<1>(hn::Add(p.across(), p.along())));
  }
}

/// The gradients around some pixels of row `y`.
struct GradientsAround {
  const MosaicGradients& all;
  int64_t y;
  int64_t x;

  HWY_INLINE Sum operator()(Field field, int64_t dy, int64_t dx) const {
    return hn::LoadU(Sums(), all.field(y + dy, field) + x + dx);
  }
};

// The directions: N S W E NE SW NW SE.
constexpr int64_t kDirections[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, 1}, {1, -1}, {-1, -1}, {1, 1}};

/// How much the mosaic changes in each direction.
struct Changes {
  Sum of[8];

  HWY_INLINE Changes(const GradientsAround& g, bool is_green) {
    of[0] = hn::Add(g(kVertical, -1, 0), g(kVertical, 0, 0));
    of[1] = hn::Add(g(kVertical, 1, 0), g(kVertical, 0, 0));
    of[2] = hn::Add(g(kHorizontal, 0, -1), g(kHorizontal, 0, 0));
    of[3] = hn::Add(g(kHorizontal, 0, 1), g(kHorizontal, 0, 0));
    for (int d = 4; d < 8; ++d) {
      const auto [dy, dx] = kDirections[d];
      const Field field = is_green ? (d < 6 ? kRising : kFalling) : (d < 6 ? kRisingWide : kFallingWide);
      of[d] = hn::Add(g(field, 0, 0), g(field, dy, dx));
      if (is_green) {
        of[d] = hn::Add(of[d], hn::Add(g(field, dy, 0), g(field, 0, dx)));
      }
    }
  }

  HWY_INLINE Sum threshold() const {
    Sum least = of[0];
    Sum most = of[0];
    for (int d = 1; d < 8; ++d) {
      least = hn::Min(least, of[d]);
      most = hn::Max(most, of[d]);
    }
    return hn::Add(least, hn::Max(hn::ShiftRight<1>(most), hn::Set(Sums(), 1)));
  }
};

/// Twice the own colour and those that are missing, in one direction.
struct Seen {
  Sum own;
  Sum first;
  Sum second;
};

HWY_INLINE Seen seen_at_color(const Around& p, const GradientsAround& g, int direction) {
  const auto [dy, dx] = kDirections[direction];
  const Sum own = hn::Add(p(2 * dy, 2 * dx), p(0, 0));
  if (direction < 4) {
    return {own, twice(p(dy, dx)), hn::Add(p(dy + dx, dx + dy), p(dy - dx, dx - dy))};
  }
  return {own, g(kCross, dy, dx), twice(p(dy, dx))};
}

HWY_INLINE Seen seen_at_green(const Around& p, int direction) {
  const auto [dy, dx] = kDirections[direction];
  if (direction < 2) {
    return {hn::Add(p(2 * dy, 0), p(0, 0)), hn::Add(p(2 * dy, -1), p(2 * dy, 1)), twice(p(dy, 0))};
  }
  if (direction < 4) {
    return {hn::Add(p(0, 2 * dx), p(0, 0)), twice(p(0, dx)), hn::Add(p(-1, 2 * dx), p(1, 2 * dx))};
  }
  return {twice(p(dy, dx)), hn::Add(p(2 * dy, dx), p(0, dx)), hn::Add(p(dy, 0), p(dy, 2 * dx))};
}

/// own + the nearest integer, halves to even, to difference * scale, which is small.
HWY_INLINE Sum moved(Sum own, Sum difference, hn::Vec<Wide> scale) {
  const Wide d;
  const hn::RebindToSigned<Wide> integers;
  const auto value = hn::Mul(hn::ConvertTo(d, hn::PromoteTo(integers, difference)), scale);
  const auto whole = hn::ConvertTo(integers, round_to_even(d, value));
  return hn::Add(own, hn::DemoteTo(Sums(), whole));
}

template <bool kIsGreen>
HWY_INLINE MissingSums by_gradients(const Around& p, const GradientsAround& g) {
  const Changes changes(g, kIsGreen);
  const Sum threshold = changes.threshold();
  Seen sums{hn::Zero(Sums()), hn::Zero(Sums()), hn::Zero(Sums())};
  Sum count = hn::Zero(Sums());
  for (int direction = 0; direction < 8; ++direction) {
    const auto is_flat = hn::Lt(changes.of[direction], threshold);
    const Seen seen = kIsGreen ? seen_at_green(p, direction) : seen_at_color(p, g, direction);
    sums.own = hn::Add(sums.own, hn::IfThenElseZero(is_flat, seen.own));
    sums.first = hn::Add(sums.first, hn::IfThenElseZero(is_flat, seen.first));
    sums.second = hn::Add(sums.second, hn::IfThenElseZero(is_flat, seen.second));
    count = hn::Sub(count, hn::VecFromMask(Sums(), is_flat));
  }
  const Wide d;
  const auto counts = hn::ConvertTo(d, hn::PromoteTo(hn::RebindToSigned<Wide>(), count));
  const auto scale = hn::Div(hn::Set(d, 0.5f), counts);
  const Sum own = p(0, 0);
  return {moved(own, hn::Sub(sums.first, sums.own), scale),
          moved(own, hn::Sub(sums.second, sums.own), scale)};
}

void gradient_row(const MosaicRow& row, int64_t y, const MosaicGradients& gradients) {
  for (int64_t x = row.begin; x < row.end; x += pixels_at_once()) {
    const Around p{row.in + x, row.pitch};
    const GradientsAround g{gradients, y, x};
    const auto is_green = greens(x, row.green_phase);
    store_pixels(row, x, p(0, 0), is_green,
                 chosen(is_green, by_gradients<true>(p, g), by_gradients<false>(p, g)));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(bilinear_row);
HWY_EXPORT(edge_aware_row);
HWY_EXPORT(gray_row);
HWY_EXPORT(find_gradients);
HWY_EXPORT(gradient_row);

int64_t debayer_bilinear_row(const MosaicRow& row) {
  return HWY_DYNAMIC_DISPATCH(bilinear_row)(row);
}
int64_t debayer_edge_aware_row(const MosaicRow& row) {
  return HWY_DYNAMIC_DISPATCH(edge_aware_row)(row);
}
int64_t debayer_gray_row(const MosaicRow& row) {
  return HWY_DYNAMIC_DISPATCH(gray_row)(row);
}
void find_mosaic_gradients(const uint8_t* in, int64_t pitch, int64_t y, int64_t width,
                           const MosaicGradients& to) {
  HWY_DYNAMIC_DISPATCH(find_gradients)(in, pitch, y, width, to);
}
void debayer_gradient_row(const MosaicRow& row, int64_t y, const MosaicGradients& gradients) {
  HWY_DYNAMIC_DISPATCH(gradient_row)(row, y, gradients);
}

}  // namespace forebay::kernels
#endif
