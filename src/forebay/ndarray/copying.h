// Content of one array into another of the same spec, enqueued.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// to = from. Same volume; the element types may differ (converted as C++ converts).
Status copy_into(const Array& from, const Array& to);

/// to = from, where `from` is not used any more: where both are alone in their memory it changes hands, and
/// no byte is copied. Same spec.
Status move_into(Array from, const Array& to);

/// to += from. Same spec.
Status add_into(const Array& from, const Array& to);

/// A new array with the content; recorded.
Result<Array> copy(const Array& array);

/// A new array of another element type; recorded. Float to integer cuts the fraction off, as MXNet's does.
Result<Array> cast(const Array& array, tensor::DType dtype);

}  // namespace forebay::ndarray
