// Elements at regular distances: transposed, flipped, cut out with steps. If the result is one dense run it
// shares the array's memory where allowed; otherwise it is copied.
#pragma once

#include <span>

#include "forebay/kernels/generic/strided.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// Element (i, j, ...) of `shape` is element `offset + i * strides[0] + j * strides[1] + ...` of a dense
/// array. Strides may be negative; no element may be referenced twice.
struct StridedLayout {
  tensor::Shape shape;
  kernels::Strides strides{};
  int64_t offset = 0;

  /// Whether the elements are contiguous and in order.
  bool is_dense() const;
};

/// A part of one axis: `count` places from `start` on, `step` apart.
struct AxisRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

/// A new array of the elements. `name`, which must be static, is used in errors. out_of_range if an element
/// does not exist.
Result<Array> strided(std::string_view name, const Array& array, const StridedLayout& layout);
/// The same, but sharing the array's memory if the layout is dense.
Result<Array> strided_view(std::string_view name, const Array& array, const StridedLayout& layout);
/// An array of `spec` with `array`'s elements at the layout's places and `fill` elsewhere.
Result<Array> place_strided(std::string_view name, const Array& array, const ArraySpec& spec,
                            const StridedLayout& layout, double fill = 0);
/// Overwrites those elements of `target` with `value`, broadcast. Types are converted. invalid_argument if it
/// cannot be broadcast.
Status assign_strided(const Array& value, const Array& target, const StridedLayout& layout);

/// The layout of a whole array, to be modified.
StridedLayout layout_of(const tensor::Shape& shape);

/// Axis i of the result is axis axes[i]; without axes the order is reversed.
Result<Array> transpose(const Array& array, std::span<const int> axes);
/// Reverses those axes; negative ones count from the end.
Result<Array> flip(const Array& array, std::span<const int> axes);
/// A range of each axis, one per axis.
Result<Array> slice(const Array& array, std::span<const AxisRange> ranges);
/// The index of an axis that may count from the end; invalid_argument if it does not exist.
Result<int> checked_axis(std::string_view name, int axis, int rank);

}  // namespace forebay::ndarray
