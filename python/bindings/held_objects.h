// Python objects that a session holds, for Python's garbage collector: a pipeline whose source is a method of
// the object that keeps the pipeline is a cycle through the session.
//
// Threads of the library call these objects. A call that runs has references of its own, so the collector
// leaves its objects alone; one that is about to run has none yet. So the collector's first step, which comes
// before it takes any object apart, closes the session and marks what it holds as gone; who comes later calls
// nothing. While batches are promised to arrays the objects are still needed, and the collector is not told
// of them.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "bindings/python_ref.h"

namespace forebay::bindings {

/// An object of a session, which its feeds and functions share. Thread safe.
class HeldObject {
 public:
  HeldObject(nb::object object, std::shared_ptr<const std::atomic<bool>> is_gone)
      : reference_(std::move(object)), is_gone_(std::move(is_gone)) {}

  /// Borrowed; the GIL must be held to use it.
  nb::handle get() const { return reference_.get(); }
  /// The collector takes it apart. With the GIL held.
  bool is_gone() const { return *is_gone_; }

 private:
  const PythonRef reference_;
  const std::shared_ptr<const std::atomic<bool>> is_gone_;
};

using HeldRef = std::shared_ptr<const HeldObject>;

/// With the GIL held.
class HeldObjects {
 public:
  HeldRef add(nb::object object) {
    return held_.emplace_back(std::make_shared<const HeldObject>(std::move(object), is_gone_));
  }

  /// What comes back says, for as long as it lives, that the objects are needed though nobody may refer to
  /// the session. It may be dropped anywhere. Never taken while the collector runs, as that has the GIL.
  std::shared_ptr<const void> owe() {
    ++*owed_;
    return {owed_.get(), [owed = owed_](const void*) { --*owed; }};
  }

  int visit(visitproc visit, void* arg) const {
    if (*owed_ > 0) {
      return 0;
    }
    for (const HeldRef& object : held_) {
      Py_VISIT(object->get().ptr());
    }
    return 0;
  }

  void let_go() { *is_gone_ = true; }
  void clear() { std::exchange(held_, {}).clear(); }

 private:
  std::vector<HeldRef> held_;
  std::shared_ptr<std::atomic<bool>> is_gone_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<std::atomic<int>> owed_ = std::make_shared<std::atomic<int>>(0);
};

/// Slots for a class bound by nanobind: `T::visit(visitproc, void*)` tells what it holds, `T::finalize()`
/// ends it before the collector takes anything apart, `T::clear()` lets go of what it holds.
template <class T>
const PyType_Slot* collected_slots() {
  static const PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(+[](PyObject* self, visitproc visit, void* arg) {
         Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
         return nb::inst_ready(self) ? nb::inst_ptr<T>(self)->visit(visit, arg) : 0;
       })},
      {Py_tp_finalize, reinterpret_cast<void*>(+[](PyObject* self) {
         if (nb::inst_ready(self)) {
           const nb::error_scope keeps_the_error;
           nb::inst_ptr<T>(self)->finalize();
         }
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
