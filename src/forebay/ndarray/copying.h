// Enqueues copies of one array's content into another of the same spec.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// to = from. Same volume; element types may differ (converted as C++ converts).
Status copy_into(const Array& from, const Array& to);

/// to = from, for a `from` that is not used any more: if each array is alone in its memory, the memory
/// changes hands and no byte is copied. Same spec.
Status move_into(Array from, const Array& to);

/// A new array with the same content; recorded.
Result<Array> copy(const Array& array);

/// A new array with another element type; recorded. Float to integer truncates, as in MXNet.
Result<Array> cast(const Array& array, tensor::DType dtype);

}  // namespace forebay::ndarray
