// Waits for tasks of arrays from Python.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/interpreter/errors.h"
#include "bindings/interpreter/gil_gate.h"
#include "forebay/ndarray/runtime.h"

namespace forebay::bindings {

/// Runs `wait` without the GIL; a signal ends it.
template <class Wait>
auto waited(Wait&& wait) {
  static thread_local const bool watches = [] {
    ndarray::set_interruption(&signal_was_raised);
    return true;
  }();
  (void)watches;
  auto result = without_gil(wait);
  if (PyErr_Occurred() != nullptr) {
    throw nb::python_error();
  }
  return result;
}

}  // namespace forebay::bindings
