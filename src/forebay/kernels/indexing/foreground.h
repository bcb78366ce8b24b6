// Elements of a mask that belong to its foreground: how many, and where one of them is.
#pragma once

#include <cstdint>

#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// Which elements belong to the foreground: those equal to the value, or above the threshold.
struct Foreground {
  bool has_value = false;
  int64_t value = 0;
  double threshold = 0;
};

uint64_t count_foreground(const tensor::TensorView& mask, const Foreground& foreground);

/// The place, in memory order, of the foreground's element of that number, of which there must be more.
int64_t foreground_place(const tensor::TensorView& mask, const Foreground& foreground, uint64_t number);

}  // namespace forebay::kernels
