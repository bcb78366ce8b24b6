// Looking at a frame costs tens of nanoseconds, finding its file and line hundreds. So the names of places
// are cached by code object and instruction; the code objects are kept alive, so that no other gets the same
// address.
#include "bindings/interpreter/push_site.h"

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/interpreter/limited_api.h"
#include "forebay/ndarray/runtime.h"

namespace forebay::bindings {
namespace {

namespace nb = nanobind;

#ifndef Py_GIL_DISABLED

/// An instruction of a code object. The table below holds it until another needs its slot.
struct Place {
  nb::object code;
  int instruction = 0;
  std::string site;  // empty: in this package
};

int instruction_of(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return PyFrame_GetLineNumber(frame);
#endif
}

std::string text_of(nb::handle object) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_Check(object.ptr()) ? PyUnicode_AsUTF8AndSize(object.ptr(), &size) : "";
  if (text == nullptr) {
    PyErr_Clear();  // a name of bytes that are no text
    return "?";
  }
  return {text, static_cast<size_t>(size)};
}

/// The package's folder with a slash behind it; empty while it is being imported.
const std::string& package_folder() {
  static auto* const folder = new std::string;
  if (folder->empty()) {
    const nb::handle package = PyImport_AddModule("forebay");  // imported already, if only in part
    const std::string path = text_of(nb::getattr(package, "__file__", nb::str("")));
    *folder = path.substr(0, path.rfind('/') + 1);
  }
  return *folder;
}

std::string site_of(PyFrameObject* frame, const nb::object& code) {
  const std::string file = text_of(nb::getattr(code, "co_filename", nb::str("")));
  const std::string& package = package_folder();
  if (!package.empty() && file.starts_with(package)) {
    return {};
  }
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(PyFrame_GetLineNumber(frame));
}

/// Read and changed with the GIL held.
const Place& place_of(PyFrameObject* frame) {
  static auto* const places = new std::array<Place, 1024>;
  nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const int instruction = instruction_of(frame);
  const auto key = reinterpret_cast<uintptr_t>(code.ptr()) / 16 * 31 + static_cast<uintptr_t>(instruction);
  Place& place = (*places)[key * 0x9e3779b97f4a7c15 >> 54];
  if (place.code.ptr() != code.ptr() || place.instruction != instruction) [[unlikely]] {
    place.site = site_of(frame, code);
    place.instruction = instruction;
    std::swap(place.code, code);
  }
  return place;
}

std::string_view site_of_caller() {
  if (PyGILState_GetThisThreadState() == nullptr || PyGILState_Check() == 0) {
    return {};  // a thread of the engine
  }
  nb::object held;
  PyFrameObject* frame = PyEval_GetFrame();
  while (frame != nullptr) {
    const Place& place = place_of(frame);
    if (!place.site.empty()) {
      return place.site;
    }
    frame = PyFrame_GetBack(frame);
    held = nb::steal(reinterpret_cast<PyObject*>(frame));
  }
  return {};
}

#endif

}  // namespace

std::string current_push_site() {
#ifndef Py_GIL_DISABLED
  return std::string(site_of_caller());
#else
  return {};
#endif
}

void install_push_sites() {
#ifndef Py_GIL_DISABLED
  ndarray::set_site(&site_of_caller);
#endif
}

}  // namespace forebay::bindings
