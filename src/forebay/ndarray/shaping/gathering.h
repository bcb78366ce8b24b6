// Elements chosen by index arrays, and the ways back. Indices are of any type, their fractions cut off. The
// gradient of choosing is adding up in the order of the indices, so that its bits do not depend on workers.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// What happens to indices out of range.
enum class IndexMode : uint8_t {
  kClip,   // to the ends
  kWrap,   // modulo the extent
  kRaise,  // out_of_range, when computed; negative ones count from the end
};

/// array[..., indices, ...] along an axis: its extent gives way to the shape of the indices.
Result<Array> take(const Array& array, const Array& indices, int axis, IndexMode mode);
/// One element of each line along the axis: `indices` has the array's shape without it, or with 1 there.
Result<Array> pick(const Array& array, const Array& indices, int axis, bool keep_axis, IndexMode mode);
/// Elements indices[i, j, ...] of each line: the shapes agree but for the axis.
Result<Array> take_along_axis(const Array& array, const Array& indices, int axis);
/// indices: (m, ...), the first m coordinates of parts of the array. out_of_range when one is not there.
Result<Array> gather_nd(const Array& array, const Array& indices);
/// The inverse: zeros of `shape` with `values` at the indices, the last one where several meet.
Result<Array> scatter_nd(const Array& values, const Array& indices, const tensor::Shape& shape);
/// The array seen as rows of `row_length` elements; row rows[i] of it for each i. The result's shape is
/// that of `rows`, followed by `row_shape`.
Result<Array> gather_rows(const Array& array, const Array& rows, const tensor::Shape& row_shape);

/// Writes rows over those of `target`, in place, as gather_rows() would read them. `values` has
/// gather_rows()' shape or broadcasts to it; types are converted.
Status assign_rows(const Array& values, const Array& rows, const tensor::Shape& row_shape,
                   const Array& target);

/// condition != 0 ? a : b. The condition has their shape, or one number for each place of their first axis.
Result<Array> where(const Array& condition, const Array& a, const Array& b);
/// `depth` numbers for each index: `on` at its place, `off` elsewhere.
Result<Array> one_hot(const Array& indices, int64_t depth, double on, double off, tensor::DType dtype);

}  // namespace forebay::ndarray
