#include "forebay/kernels/sorting/columns.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "forebay/kernels/sorting/columns.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace forebay::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Compares rows `first`... `last` with those `distance` further on and puts the smaller ones first.
template <class Item>
HWY_INLINE void exchange(Item* HWY_RESTRICT items, int64_t first, int64_t last, int64_t distance) {
  const hn::CappedTag<Item, kColumns<Item>> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  Item* upper = items + first * kColumns<Item>;
  Item* const end = items + last * kColumns<Item>;
  for (; upper < end; upper += lanes) {
    Item* const lower = upper + distance * kColumns<Item>;
    const auto a = hn::LoadU(d, upper);
    const auto b = hn::LoadU(d, lower);
    hn::StoreU(hn::Min(a, b), d, upper);
    hn::StoreU(hn::Max(a, b), d, lower);
  }
}

template <class Item>
HWY_INLINE void sort_all(Item* HWY_RESTRICT items, int64_t rows) {
  if (rows < 2) {
    return;
  }
  const auto top = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(rows)) / 2);
  for (int64_t run = top; run > 0; run /= 2) {
    int64_t remainder = 0;
    int64_t distance = run;
    for (int64_t q = top;; q /= 2) {
      const int64_t end = rows - distance;
      for (int64_t row = remainder; row < end; row += 2 * run) {
        exchange(items, row, std::min(row + run, end), distance);
      }
      if (q == run) {
        break;
      }
      distance = q - run;
      remainder = run;
    }
  }
}

void sort_columns_32(uint32_t* HWY_RESTRICT items, int64_t rows) {
  sort_all(items, rows);
}

void sort_columns_64(uint64_t* HWY_RESTRICT items, int64_t rows) {
  sort_all(items, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace forebay::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace forebay::kernels {

HWY_EXPORT(sort_columns_32);
HWY_EXPORT(sort_columns_64);

void sort_columns(uint32_t* items, int64_t rows) {
  HWY_DYNAMIC_DISPATCH(sort_columns_32)(items, rows);
}

void sort_columns(uint64_t* items, int64_t rows) {
  HWY_DYNAMIC_DISPATCH(sort_columns_64)(items, rows);
}

}  // namespace forebay::kernels
#endif
