// Selecting elements by index arrays, and the inverse operations. Indices may be of any type; fractions are
// truncated. The gradient of selecting is adding in the order of the indices, so its bits do not depend on
// workers.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// How indices out of range are treated.
enum class IndexMode : uint8_t {
  kClip,   // clamped to the ends
  kWrap,   // modulo the extent
  kRaise,  // out_of_range when computed; negative ones count from the end
};

/// array[..., indices, ...] along an axis: its extent is replaced by the shape of the indices.
Result<Array> take(const Array& array, const Array& indices, int axis, IndexMode mode);
/// One element of each line along the axis: `indices` has the array's shape without the axis, or with extent
/// 1 there.
Result<Array> pick(const Array& array, const Array& indices, int axis, bool keep_axis, IndexMode mode);
/// Elements indices[i, j, ...] of each line: the shapes agree except on the axis.
Result<Array> take_along_axis(const Array& array, const Array& indices, int axis);
/// indices: (m, ...), the first m coordinates of parts of the array. out_of_range if one does not exist.
Result<Array> gather_nd(const Array& array, const Array& indices);
/// The inverse: zeros of `shape` with `values` at the indices; the last one wins if several coincide.
Result<Array> scatter_nd(const Array& values, const Array& indices, const tensor::Shape& shape);
/// Treats the array as rows of `row_length` elements and returns row rows[i] for each i. The result has the
/// shape of `rows` followed by `row_shape`.
Result<Array> gather_rows(const Array& array, const Array& rows, const tensor::Shape& row_shape);

/// Overwrites rows of `target` in place, those that gather_rows() would read. `values` has the shape of
/// gather_rows() or broadcasts to it; types are converted.
Status assign_rows(const Array& values, const Array& rows, const tensor::Shape& row_shape,
                   const Array& target);

/// condition != 0 ? a : b. The condition has their shape, or one number per place of their first axis.
Result<Array> where(const Array& condition, const Array& a, const Array& b);
/// `depth` numbers for each index: `on` at the index, `off` elsewhere.
Result<Array> one_hot(const Array& indices, int64_t depth, double on, double off, tensor::DType dtype);

}  // namespace forebay::ndarray
