// A Python object held by C++ code that runs on any thread, with or without the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "bindings/interpreter/gil_gate.h"
#include "bindings/interpreter/limited_api.h"

namespace forebay::bindings {

namespace nb = nanobind;

/// False before the interpreter starts and once it begins to end: nothing may take the GIL then.
inline bool interpreter_is_alive() {
  return Py_IsInitialized() != 0 && !interpreter_is_ending();
}

/// A strong reference. Made with the GIL held; may be dropped anywhere (takes the GIL itself; after the
/// interpreter's end the object is left alone).
class PythonRef {
 public:
  PythonRef() = default;
  explicit PythonRef(nb::object object) : pointer_(object.release().ptr()) {}
  PythonRef(PythonRef&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  PythonRef& operator=(PythonRef&& other) noexcept {
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~PythonRef() {
    if (pointer_ == nullptr) {
      return;
    }
    if (const GilEntry gil; gil) {
      Py_DECREF(pointer_);
    }
  }

  /// Borrowed; the GIL must be held to use it.
  nb::handle get() const { return pointer_; }

 private:
  PyObject* pointer_ = nullptr;
};

}  // namespace forebay::bindings
