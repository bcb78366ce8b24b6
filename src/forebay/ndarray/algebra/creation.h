// Arrays made from nothing, and from bytes.
#pragma once

#include <span>

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// All elements `value` (as the type converts it).
Result<Array> full(const ArraySpec& spec, double value);
Status fill(const Array& array, double value);
/// For operations: fills memory, using all idle workers.
Status fill_view(const tensor::MutableTensorView& out, double value);

/// start, start + step, ... (`repeat` times each) up to but not including stop.
Result<Array> arange(double start, double stop, double step, int64_t repeat, tensor::DType dtype);

/// A copy of the current content of `bytes` (counted).
Result<Array> copy_of_bytes(Bytes bytes, const ArraySpec& spec);

/// An array of `spec` that is zero except for `array`'s elements, which start at `offset`.
Result<Array> place(const Array& array, const ArraySpec& spec, int64_t offset);

}  // namespace forebay::ndarray
