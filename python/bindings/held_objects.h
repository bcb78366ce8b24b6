// Python objects that a session holds, for Python's garbage collector: a pipeline whose source is a method of
// the object that keeps the pipeline is a cycle through the session.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>
#include <vector>

#include "bindings/python_ref.h"

namespace forebay::bindings {

/// The references themselves belong to the session's feeds and functions as well, which threads of the
/// library use. With the GIL held.
class HeldObjects {
 public:
  std::shared_ptr<const PythonRef> add(nb::object object) {
    return held_.emplace_back(std::make_shared<const PythonRef>(std::move(object)));
  }

  int visit(visitproc visit, void* arg) const {
    for (const std::shared_ptr<const PythonRef>& reference : held_) {
      Py_VISIT(reference->get().ptr());
    }
    return 0;
  }

  void clear() { std::exchange(held_, {}).clear(); }

 private:
  std::vector<std::shared_ptr<const PythonRef>> held_;
};

/// Slots for a class bound by nanobind whose `T::visit(visitproc, void*)` tells what it holds, and whose
/// `T::clear()` lets go of it.
template <class T>
const PyType_Slot* collected_slots() {
  static const PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(+[](PyObject* self, visitproc visit, void* arg) {
         Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
         return nb::inst_ready(self) ? nb::inst_ptr<T>(self)->visit(visit, arg) : 0;
       })},
      {Py_tp_clear, reinterpret_cast<void*>(+[](PyObject* self) {
         if (nb::inst_ready(self)) {
           nb::inst_ptr<T>(self)->clear();
         }
         return 0;
       })},
      {0, nullptr}};
  return slots;
}

}  // namespace forebay::bindings
