// What these bindings ask of CPython beyond its limited API, in which a module for all later versions is
// built (FOREBAY_ABI3): the functions are there in each of them, and only not declared.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#ifdef Py_LIMITED_API
extern "C" {
int PyGILState_Check(void);
PyFrameObject* PyFrame_GetBack(PyFrameObject* frame);
int PyFrame_GetLasti(PyFrameObject* frame);
[[gnu::weak]] int Py_IsFinalizing(void);   // from 3.13 on
[[gnu::weak]] int _Py_IsFinalizing(void);  // until 3.12
}
#endif

namespace forebay::bindings {

/// Whether the interpreter has begun to end.
inline bool interpreter_is_ending() {
#if defined(Py_LIMITED_API)
  return (Py_IsFinalizing != nullptr ? Py_IsFinalizing() : _Py_IsFinalizing()) != 0;
#elif PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

/// The name of an object's class as its own messages have it: with its module, but for Python's own.
std::string type_name_of(nanobind::handle object);

}  // namespace forebay::bindings
