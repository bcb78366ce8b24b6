// Products from both sides: pairs are multiplied, and each element of a pair gets the other one times the
// product of all other pairs.
#include "forebay/ndarray/algebra/products_of_others.h"

#include <utility>
#include <vector>

#include "forebay/ndarray/algebra/broadcasting.h"
#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/ndarray/algebra/joining.h"
#include "forebay/ndarray/algebra/reduce.h"
#include "forebay/ndarray/algebra/strided.h"

namespace forebay::ndarray {
namespace {

Result<Array> part_along(const Array& array, int axis, int64_t start, int64_t count) {
  std::vector<AxisRange> ranges;
  for (const int64_t extent : array.shape()) {
    ranges.push_back({0, 1, extent});
  }
  ranges[static_cast<size_t>(axis)] = {start, 1, count};
  return slice(array, ranges);
}

/// Ones, as the product of no elements along the axis: they come from the array, so that their gradients are
/// 0 and not an error.
Result<Array> product_of_none(const Array& array, int axis) {
  FOREBAY_ASSIGN_OR_RETURN(const Array none, part_along(array, axis, 0, 0));
  return reduce(Reduction::kProduct, none, {.axes = {axis}, .keep_axes = true});
}

/// An axis of at least one element, half of which, and the last one if they are odd, remain a call.
Result<Array> others_along(const Array& array, int axis) {
  const int64_t length = array.shape()[axis];
  if (length == 1) {
    return product_of_none(array, axis);
  }
  const int64_t half = length / 2;
  const bool is_odd = length % 2 != 0;
  FOREBAY_ASSIGN_OR_RETURN(const Array first, part_along(array, axis, 0, half));
  FOREBAY_ASSIGN_OR_RETURN(const Array second, part_along(array, axis, half, half));
  FOREBAY_ASSIGN_OR_RETURN(Array pairs, multiply(first, second));
  if (is_odd) {
    FOREBAY_ASSIGN_OR_RETURN(const Array last, part_along(array, axis, length - 1, 1));
    const Array both[] = {pairs, last};
    FOREBAY_ASSIGN_OR_RETURN(pairs, concatenate(both, axis));
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array others, others_along(pairs, axis));
  FOREBAY_ASSIGN_OR_RETURN(const Array of_pairs, part_along(others, axis, 0, half));
  Arrays joined(is_odd ? size_t{3} : size_t{2});
  FOREBAY_ASSIGN_OR_RETURN(joined[0], multiply(of_pairs, second));
  FOREBAY_ASSIGN_OR_RETURN(joined[1], multiply(of_pairs, first));
  if (is_odd) {
    FOREBAY_ASSIGN_OR_RETURN(joined[2], part_along(others, axis, half, 1));
  }
  return concatenate(joined, axis);
}

}  // namespace

Result<Array> products_of_others(const Array& array, std::span<const int> axes) {
  if (array.volume() == 0) {
    return array;
  }
  Array found;
  Array product = array;  // along the axes before
  int before = -1;
  for (const int axis : axes) {
    if (array.shape()[axis] == 1) {
      continue;
    }
    if (before >= 0) {
      FOREBAY_ASSIGN_OR_RETURN(product,
                               reduce(Reduction::kProduct, product, {.axes = {before}, .keep_axes = true}));
    }
    before = axis;
    FOREBAY_ASSIGN_OR_RETURN(const Array others, others_along(product, axis));
    FOREBAY_ASSIGN_OR_RETURN(Array spread, broadcast_to(others, array.shape()));
    if (!found.is_valid()) {
      found = std::move(spread);
      continue;
    }
    FOREBAY_ASSIGN_OR_RETURN(found, multiply(found, spread));
  }
  if (found.is_valid()) {
    return found;
  }
  FOREBAY_ASSIGN_OR_RETURN(const Array ones, product_of_none(array, 0));
  return broadcast_to(ones, array.shape());
}

}  // namespace forebay::ndarray
