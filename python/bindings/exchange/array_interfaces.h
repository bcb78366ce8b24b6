// NumPy's array interface and the CUDA Array Interface as Python's dictionaries.
#pragma once

#include <nanobind/nanobind.h>

#include "forebay/exchange/arrays/strided_array.h"

namespace forebay::bindings {

/// Throw AttributeError where the array has no such interface.
nanobind::object array_interface(nanobind::handle object);
nanobind::object cuda_array_interface(nanobind::handle object);

/// Of an object with `__array_interface__` or `__cuda_array_interface__`, which is kept alive. TypeError when
/// it has neither.
exchange::StridedArray array_from_interface(nanobind::handle object);

}  // namespace forebay::bindings
