// Walks a dense tensor in memory order, together with a tensor that broadcasts to it: what statistics over
// axes are made of.
#pragma once

#include <array>
#include <cstdint>

#include "forebay/kernels/generic/strided.h"
#include "forebay/tensor/shape.h"

namespace forebay::kernels {

/// Strides that are 0 on the axes where `shape` has extent 1.
inline Strides broadcast_strides(const tensor::Shape& shape) {
  Strides strides = dense_strides(shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    strides[axis] = shape[axis] == 1 ? 0 : strides[axis];
  }
  return strides;
}

/// A dense run of elements: `rows` rows, one behind the other, that all meet the same `size` places of the
/// broadcast tensor (step 1), or `size` elements that meet one place (step 0, one row).
struct RowBlock {
  int64_t element = 0;  // index of the first
  int64_t place = 0;    // index into the broadcast tensor
  int64_t rows = 1;
  int64_t size = 1;
  int64_t step = 0;
};

/// Calls visit(block) for blocks that together are the whole tensor, in memory order.
template <class F>
void for_each_block(const tensor::Shape& all, const Strides& all_strides, F&& visit) {
  if (all.volume() == 0) {
    return;
  }
  Strides strides = all_strides;
  const tensor::Shape shape = join_axes(all, {&strides, 1});
  const int rank = shape.rank();
  RowBlock block;
  if (rank > 0) {
    block.size = shape.back();
    block.step = strides[rank - 1];
  }
  const bool repeats = rank > 1 && block.step == 1 && strides[rank - 2] == 0;
  block.rows = repeats ? shape[rank - 2] : 1;
  std::array<int64_t, tensor::kMaxRank> index{};
  while (true) {
    visit(block);
    block.element += block.rows * block.size;
    int axis = rank - (repeats ? 3 : 2);
    for (; axis >= 0; --axis) {
      block.place += strides[axis];
      if (++index[axis] < shape[axis]) {
        break;
      }
      block.place -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
    if (axis < 0) {
      return;
    }
  }
}

template <int kSize, class In, class Result, class Join>
void fold_narrow(const In* elements, const RowBlock& block, Result* results, Join join) {
  std::array<Result, kSize> folded;
  for (int i = 0; i < kSize; ++i) {
    folded[i] = results[block.place + i];
  }
  for (int64_t row = 0; row < block.rows; ++row) {
    for (int i = 0; i < kSize; ++i) {
      folded[i] = join(folded[i], elements[row * kSize + i], block.place + i);
    }
  }
  for (int i = 0; i < kSize; ++i) {
    results[block.place + i] = folded[i];
  }
}

/// results[place] = join(results[place], element, place) for the elements of a block, in memory order.
template <class In, class Result, class Join>
void fold_block(const In* in, const RowBlock& block, Result* results, Join join) {
  const In* elements = in + block.element;
  if (block.step == 0) {
    Result folded = results[block.place];
    for (int64_t i = 0; i < block.size; ++i) {
      folded = join(folded, elements[i], block.place);
    }
    results[block.place] = folded;
  } else if (block.size == 3) {
    fold_narrow<3>(elements, block, results, join);
  } else if (block.size == 2) {
    fold_narrow<2>(elements, block, results, join);
  } else if (block.size == 4) {
    fold_narrow<4>(elements, block, results, join);
  } else {
    for (int64_t row = 0; row < block.rows; ++row, elements += block.size) {
      for (int64_t i = 0; i < block.size; ++i) {
        results[block.place + i] = join(results[block.place + i], elements[i], block.place + i);
      }
    }
  }
}

}  // namespace forebay::kernels
