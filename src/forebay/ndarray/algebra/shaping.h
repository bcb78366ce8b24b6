// Other shapes over the same memory. As in MXNet they share it: writes to one are visible in the other.
#pragma once

#include <span>

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// The same elements in another shape of equal volume; recorded. Otherwise invalid_argument.
Result<Array> reshape(const Array& array, const tensor::Shape& shape);

/// Resolves MXNet's special extents in a reshape: 0 keeps the axis, -1 is inferred, -2 takes all remaining
/// axes, -3 joins two axes, -4 splits one into the next two numbers.
Result<tensor::Shape> reshaped_shape(const tensor::Shape& shape, std::span<const int64_t> wanted);

/// The elements from `offset` on in `shape`, which must exist; recorded.
Array view(const Array& array, const tensor::Shape& shape, int64_t offset);

/// The places [begin, end) of the first axis; recorded. out_of_range if they do not exist.
Result<Array> rows(const Array& array, int64_t begin, int64_t end);
/// One place of the first axis, which is removed.
Result<Array> row(const Array& array, int64_t index);

}  // namespace forebay::ndarray
