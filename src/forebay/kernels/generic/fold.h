// Sums and extremes over any axes of a tensor.
#pragma once

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// Adds up the elements that broadcasting `out` to the shape of `in` brings to one place: each extent of
/// `out` is that of `in` or 1. Integers are added exactly, modulo 2^64, floats in double and in memory order;
/// the sum is converted with saturation. Any types. invalid_argument if the shapes do not fit. Thread safe.
Status sum_over(const tensor::TensorView& in, const tensor::MutableTensorView& out);

/// The largest or the smallest of those elements, NaN left out; `out` has the type of `in`. Over no elements,
/// or NaN alone, the result is what is below or above all numbers of the type.
Status extreme_over(const tensor::TensorView& in, bool is_largest, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
