// DLPack as Python speaks it: `__dlpack__`, `__dlpack_device__`, the C exchange API, from_dlpack. By the raw
// C API, since a hand-over takes no longer than a call.
#pragma once

#include <nanobind/nanobind.h>

#include "forebay/exchange/arrays/strided_array.h"

namespace forebay::bindings {

/// Adds the methods to a type whose objects array_of_object() knows. `has_c_api`: the C exchange API too.
void bind_dlpack(nanobind::handle type, bool has_c_api);

/// from_dlpack of the array API standard. `device`: None, "cpu" or (1, 0). Throws BufferError when the
/// memory cannot be given so, TypeError for an object that is no producer.
exchange::StridedArray array_from_dlpack(nanobind::handle producer, nanobind::handle device,
                                         nanobind::handle copy);

/// True when the object's type has `__dlpack__`.
bool speaks_dlpack(nanobind::handle object);

/// A capsule without version for a consumer that is known not to write: read-only memory too.
nanobind::object capsule_for_reader(const exchange::StridedArray& array);

}  // namespace forebay::bindings
