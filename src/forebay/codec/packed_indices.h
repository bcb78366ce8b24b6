// Indices of a palette as PNG and BMP store them: 8, 4, 2 or 1 bits, the leftmost pixel in the highest bits
// of a byte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebay::codec {

/// The index of pixel number `column` of a stored row.
inline unsigned index_at(const std::byte* row, int bits, int64_t column) {
  const int64_t first_bit = column * bits;
  const int shift = 8 - bits - static_cast<int>(first_bit % 8);
  return static_cast<unsigned>(row[first_bit / 8]) >> shift & ((1U << bits) - 1);
}

/// Writes the indices of `count` pixels from number `first` on, a byte each.
inline void unpack_indices(const std::byte* row, int bits, int64_t first, int64_t count, std::byte* out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::byte>(index_at(row, bits, first + i));
  }
}

}  // namespace forebay::codec
