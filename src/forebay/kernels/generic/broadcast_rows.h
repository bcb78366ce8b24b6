// Walks a dense tensor row by row, together with a tensor that broadcasts to it: what statistics over axes
// are made of.
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

/// Calls visit(element index, index into the broadcast tensor, length, step in the latter) for each innermost
/// row.
template <class F>
void for_each_row(const tensor::Shape& shape, const Strides& strides, F&& visit) {
  const int rank = shape.rank();
  if (shape.volume() == 0) {
    return;
  }
  if (rank == 0) {
    visit(int64_t{0}, int64_t{0}, int64_t{1}, int64_t{0});
    return;
  }
  const int64_t row = shape.back();
  std::array<int64_t, tensor::kMaxRank> index{};
  int64_t at = 0;
  for (int64_t element = 0;; element += row) {
    visit(element, at, row, strides[rank - 1]);
    int axis = rank - 2;
    for (; axis >= 0; --axis) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) {
        break;
      }
      at -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
    if (axis < 0) {
      return;
    }
  }
}

}  // namespace forebay::kernels
