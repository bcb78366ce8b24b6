// What a product's gradient is made of, differentiable as often as one likes.
#pragma once

#include <span>

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// For each element, the product of all others along `axes` (not negative, none twice). Made of products
/// alone, so that it is right, and its gradients are, where elements are 0; recorded. Takes 6 operations for
/// each halving of an axis.
Result<Array> products_of_others(const Array& array, std::span<const int> axes);

}  // namespace forebay::ndarray
