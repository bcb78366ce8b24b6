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

#include "bindings/interpreter/python_ref.h"
#include "forebay/base/status.h"

namespace forebay::bindings {

/// What a session and its objects know of each other.
struct HoldState {
  std::atomic<bool> is_gone = false;  // the collector takes the objects apart
  std::atomic<int> owed = 0;          // how many need the objects though nobody may refer to the session
};

/// An object of a session, which its feeds and functions share. Thread safe.
class HeldObject {
 public:
  HeldObject(nb::object object, std::shared_ptr<const HoldState> state)
      : reference_(std::move(object)), state_(std::move(state)) {}

  /// A reference of the caller's own, so that the collector leaves it alone; cancelled if it takes it apart
  /// already. The GIL must be held as long as there is one.
  Result<nb::object> get() const {
    if (state_->is_gone) {
      return cancelled("nobody refers to the pipeline any more");
    }
    return nb::borrow(reference_.get());
  }

  /// Also of one that is gone: the collector looks again at what it has ended.
  int visit(visitproc visit, void* arg) const {
    Py_VISIT(reference_.get().ptr());
    return 0;
  }

 private:
  const PythonRef reference_;
  const std::shared_ptr<const HoldState> state_;
};

using HeldRef = std::shared_ptr<const HeldObject>;

/// With the GIL held.
class HeldObjects {
 public:
  HeldRef add(nb::object object) {
    return held_.emplace_back(std::make_shared<const HeldObject>(std::move(object), state_));
  }

  /// What comes back says, for as long as it lives, that the objects are needed though nobody may refer to
  /// the session. It may be dropped anywhere. Never taken while the collector runs, as that has the GIL.
  std::shared_ptr<const void> owe() {
    ++state_->owed;
    return {state_.get(), [state = state_](const void*) { --state->owed; }};
  }

  int visit(visitproc visit, void* arg) const {
    if (state_->owed > 0) {
      return 0;
    }
    for (const HeldRef& object : held_) {
      if (const int told = object->visit(visit, arg); told != 0) {
        return told;
      }
    }
    return 0;
  }

  void let_go() { state_->is_gone = true; }
  void clear() { std::exchange(held_, {}).clear(); }

 private:
  std::vector<HeldRef> held_;
  std::shared_ptr<HoldState> state_ = std::make_shared<HoldState>();
};

/// A session bound by nanobind, as the collector sees it. With the GIL held.
class CollectedSession {
 public:
  CollectedSession(const CollectedSession&) = delete;
  CollectedSession& operator=(const CollectedSession&) = delete;

  /// Tells what it holds.
  int visit(visitproc visit, void* arg) const { return held_.visit(visit, arg); }
  /// Ends it before the collector takes anything apart.
  void finalize() {
    held_.let_go();
    end();
  }
  /// Lets go of what it holds.
  void clear() { held_.clear(); }

  /// As HeldObjects::owe().
  std::shared_ptr<const void> owe() { return held_.owe(); }

 protected:
  explicit CollectedSession(HeldObjects held) : held_(std::move(held)) {}
  CollectedSession(CollectedSession&&) noexcept = default;
  ~CollectedSession() = default;

 private:
  /// Ends what runs; nothing to do if that was done before.
  virtual void end() = 0;

  HeldObjects held_;
};

/// Slots for a class T bound by nanobind, a CollectedSession.
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
