// Sorts several short lines side by side, one per vector lane. Internal to the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebay::kernels {

/// How many lines of items of that type are sorted together.
template <class Item>
inline constexpr int64_t kColumns = 64 / sizeof(Item);

/// items[row * kColumns + column], `rows` rows: sorts each column separately, smallest first. Branch-free, by
/// Batcher's merging network (Knuth, The Art of Computer Programming 3, 5.2.2 M), whose work grows with rows
/// * log(rows)^2.
void sort_columns(uint32_t* items, int64_t rows);
void sort_columns(uint64_t* items, int64_t rows);

}  // namespace forebay::kernels
