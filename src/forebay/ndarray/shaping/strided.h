// Elements at even distances: transposed, flipped, cut out with steps. What is one dense run in the end
// shares the array's memory where it may; everything else is copied.
#pragma once

#include <span>

#include "forebay/kernels/generic/strided.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// Element (i, j, ...) of `shape` is element `offset + i * strides[0] + j * strides[1] + ...` of a dense
/// array. Strides may be negative; no element is named twice.
struct StridedLayout {
  tensor::Shape shape;
  kernels::Strides strides{};
  int64_t offset = 0;

  /// True when the elements lie one behind the other.
  bool is_dense() const;
};

/// A part of one axis: `count` places from `start` on, `step` apart.
struct AxisRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

/// A new array of the elements. `name`, which lives for ever, is for errors. out_of_range when an element is
/// not there.
Result<Array> strided(std::string_view name, const Array& array, const StridedLayout& layout);
/// The same, but sharing the array's memory if the layout is dense.
Result<Array> strided_view(std::string_view name, const Array& array, const StridedLayout& layout);
/// An array of `spec` with `array`'s elements there, and `fill` elsewhere.
Result<Array> place_strided(std::string_view name, const Array& array, const ArraySpec& spec,
                            const StridedLayout& layout, double fill = 0);
/// Writes `value`, broadcast, over those elements of `target`. Types are converted. invalid_argument when it
/// does not broadcast.
Status assign_strided(const Array& value, const Array& target, const StridedLayout& layout);

/// The whole of an array, to be changed.
StridedLayout layout_of(const tensor::Shape& shape);

/// Axis i of the result is axis axes[i]; all in reverse order without axes.
Result<Array> transpose(const Array& array, std::span<const int> axes);
/// Reverses those axes; negative ones count from the end.
Result<Array> flip(const Array& array, std::span<const int> axes);
/// A range of each axis, one an axis.
Result<Array> slice(const Array& array, std::span<const AxisRange> ranges);
/// The place of an axis that may count from the end; invalid_argument when it is not there.
Result<int> checked_axis(std::string_view name, int axis, int rank);

}  // namespace forebay::ndarray
