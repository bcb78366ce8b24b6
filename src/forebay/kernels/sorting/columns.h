// Several short lines sorted side by side, one in each lane of a vector. Internal to the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebay::kernels {

/// So many lines of items of that type.
template <class Item>
inline constexpr int64_t kColumns = 64 / sizeof(Item);

/// items[row * kColumns + column], `rows` rows: each column sorted for itself, least first. Without branches:
/// by Batcher's network of merges (Knuth, The Art of Computer Programming 3, 5.2.2 M), whose work grows with
/// rows * log(rows)^2.
void sort_columns(uint32_t* items, int64_t rows);
void sort_columns(uint64_t* items, int64_t rows);

}  // namespace forebay::kernels
