// forebay._core.Array in Python, and what all protocols need to know of objects.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/exchange/arrays.h"
#include "forebay/exchange/arrays/strided_array.h"

namespace forebay::bindings {

/// forebay._core.Array
struct PythonArray {
  exchange::StridedArray array;
  exchange::Extents lent_strides{};  // in elements, for those who borrow the array's description
};

/// The array of a TensorCPU, TensorListCPU or Array, without a copy unless a batch lies in pieces.
/// Throws TypeError for anything else.
exchange::StridedArray array_of_object(nb::handle object);

/// The array of any object that speaks one of the protocols, without a copy: forebay's own, the buffer
/// protocol, DLPack, NumPy's and the CUDA array interface. Throws TypeError when it speaks none, BufferError
/// (or what the object throws) when it will not hand its memory over.
exchange::StridedArray array_of_any(nb::handle object);

/// A shape or strides as Python has them.
nb::tuple tuple_of(const exchange::Extents& extents);

/// Raises BufferError, or MemoryError where that is what happened.
[[noreturn]] void raise_buffer_error(const Status& status);

template <class T>
T value_or_buffer_error(Result<T> result) {
  if (!result.ok()) [[unlikely]] {
    raise_buffer_error(result.status());
  }
  return *std::move(result);
}

}  // namespace forebay::bindings
