// The buffer protocol (PEP 3118), both ways.
#pragma once

#include <nanobind/nanobind.h>

#include "forebay/exchange/arrays/strided_array.h"

namespace forebay::bindings {

/// Slots for types whose objects array_of_object() knows; for nb::type_slots().
extern PyType_Slot buffer_slots[];

/// The memory of an object with the buffer protocol, strided and read-only as the object says. The buffer is
/// released with the array's last owner. Throws BufferError, or TypeError for elements that have no type
/// here.
exchange::StridedArray array_from_buffer(nanobind::handle object);

}  // namespace forebay::bindings
