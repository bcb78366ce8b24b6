// A class of arrays that the exchange hands out without knowing it: NDArrayBase says here how its memory is
// read.
#pragma once

#include <nanobind/nanobind.h>

#include "forebay/tensor/tensor.h"

namespace forebay::bindings {

namespace nb = nanobind;

/// How the exchange reads objects of a class that lies above it.
struct OwnClass {
  bool (*is_one)(nb::handle object);
  /// The memory as a tensor, after waiting for it. Throws what the wait throws.
  tensor::Tensor (*content)(nb::handle object);
  /// A framework got the memory to write it.
  void (*note_write)(nb::handle object);
};

/// Called once, while the module is made and before any object is exchanged.
void set_own_class(const OwnClass& own);

/// The class of `object`; null where it is of another.
const OwnClass* own_class_of(nb::handle object);

}  // namespace forebay::bindings
