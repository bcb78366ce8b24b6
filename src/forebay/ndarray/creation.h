// Arrays made of nothing, and of bytes.
#pragma once

#include <span>

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// All elements `value` (as the type converts it).
Result<Array> full(const ArraySpec& spec, double value);
Status fill(const Array& array, double value);
/// For operations: fills memory, on all idle workers.
Status fill_view(const tensor::MutableTensorView& out, double value);

/// start, start + step, ... (`repeat` times each) up to, not including, stop.
Result<Array> arange(double start, double stop, double step, int64_t repeat, tensor::DType dtype);

/// A copy of bytes that lie there now (counted).
Result<Array> copy_of_bytes(Bytes bytes, const ArraySpec& spec);

/// An array of `spec`, zero but for `array`'s elements, which lie from `offset` on.
Result<Array> place(const Array& array, const ArraySpec& spec, int64_t offset);

}  // namespace forebay::ndarray
