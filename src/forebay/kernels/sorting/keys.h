// Maps values of any type to unsigned numbers with the same order, and sorts such numbers. Internal to the
// kernels.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "forebay/tensor/dtype.h"

namespace forebay::kernels {

/// float16 is compared and returned as float.
template <class T>
using Compared = std::conditional_t<std::is_same_v<T, tensor::Float16>, float, T>;

template <size_t kBytes>
using UnsignedOf = std::conditional_t<
    kBytes == 1, uint8_t,
    std::conditional_t<kBytes == 2, uint16_t, std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;

template <class T>
using SortKey = UnsignedOf<sizeof(Compared<T>)>;

template <class T>
constexpr SortKey<T> kTopBit = static_cast<SortKey<T>>(SortKey<T>{1} << (8 * sizeof(SortKey<T>) - 1));

/// Sorting by key, smallest first, gives the order of the values: -0 before 0, NaN last whether ascending or
/// not.
template <class T>
SortKey<T> sort_key_of(T given, bool ascending) {
  using Key = SortKey<T>;
  const auto value = static_cast<Compared<T>>(given);
  Key key;
  if constexpr (std::is_floating_point_v<Compared<T>>) {
    if (value != value) {
      return std::numeric_limits<Key>::max();  // no number has this key: it would belong to a NaN
    }
    const auto bits = std::bit_cast<Key>(value);
    key = (bits & kTopBit<T>) != 0 ? ~bits : bits | kTopBit<T>;
  } else {
    key = static_cast<Key>(static_cast<Key>(value) ^ (std::is_signed_v<T> ? kTopBit<T> : Key{0}));
  }
  return ascending ? key : static_cast<Key>(~key);
}

/// The value with that key.
template <class T>
T sort_value_of(SortKey<T> key, bool ascending) {
  using Key = SortKey<T>;
  if constexpr (std::is_floating_point_v<Compared<T>>) {
    if (key == std::numeric_limits<Key>::max()) {
      return T(std::numeric_limits<Compared<T>>::quiet_NaN());
    }
    key = ascending ? key : ~key;
    return T(std::bit_cast<Compared<T>>((key & kTopBit<T>) != 0 ? key ^ kTopBit<T> : ~key));
  } else {
    key = ascending ? key : static_cast<Key>(~key);
    return static_cast<T>(static_cast<Key>(key ^ (std::is_signed_v<T> ? kTopBit<T> : Key{0})));
  }
}

/// Sorts `items` by key_of(item), an unsigned number of `kBytes` bytes, smallest first and stable: one pass
/// per byte from the last to the first (Knuth, The Art of Computer Programming 3, 5.2.5), skipping bytes that
/// are the same in all keys. Returns where the sorted items are: `items`, or `scratch`, which must be as
/// large.
template <size_t kBytes, class Item, class KeyOf>
Item* radix_sort(Item* items, Item* scratch, size_t count, KeyOf&& key_of) {
  constexpr size_t kDigits = 256;
  std::array<std::array<size_t, kDigits>, kBytes> places{};
  for (size_t i = 0; i < count; ++i) {
    const auto key = key_of(items[i]);
    for (size_t byte = 0; byte < kBytes; ++byte) {
      ++places[byte][(key >> (8 * byte)) & 0xFF];
    }
  }
  for (size_t byte = 0; byte < kBytes; ++byte) {
    const auto digit_of = [&](const Item& item) { return (key_of(item) >> (8 * byte)) & 0xFF; };
    if (count == 0 || places[byte][digit_of(items[0])] == count) {
      continue;
    }
    size_t next = 0;
    for (size_t& place : places[byte]) {
      next += std::exchange(place, next);
    }
    for (size_t i = 0; i < count; ++i) {
      scratch[places[byte][digit_of(items[i])]++] = items[i];
    }
    std::swap(items, scratch);
  }
  return items;
}

}  // namespace forebay::kernels
