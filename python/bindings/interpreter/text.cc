#include "bindings/interpreter/text.h"

namespace forebay::bindings {
namespace {

std::string bytes_of(nb::handle bytes) {
  return {PyBytes_AsString(bytes.ptr()), static_cast<size_t>(PyBytes_Size(bytes.ptr()))};
}

nb::object encoded(nb::handle text, const char* errors) {
  return nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", errors));
}

nb::str decoded(std::string_view text, const char* errors) {
  nb::object made =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), errors));
  if (!made.is_valid()) {
    throw nb::python_error();
  }
  return nb::borrow<nb::str>(made);
}

}  // namespace

nb::str text_to_python(std::string_view text) {
  return decoded(text, "surrogateescape");
}

nb::str readable_text(std::string_view text) {
  return decoded(text, "backslashreplace");
}

bool is_text(nb::handle object) {
  return PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) ||
         PyObject_HasAttrString(object.ptr(), "__fspath__");
}

std::string text_from_python(nb::handle object) {
  const nb::object path = nb::steal(PyOS_FSPath(object.ptr()));
  if (!path.is_valid()) {
    throw nb::python_error();
  }
  if (PyBytes_Check(path.ptr())) {
    return bytes_of(path);
  }
  const nb::object bytes = encoded(path, "surrogateescape");
  if (!bytes.is_valid()) {
    throw nb::python_error();
  }
  return bytes_of(bytes);
}

std::string printed(nb::handle object) noexcept {
  const nb::object text = nb::steal(PyObject_Str(object.ptr()));
  for (const char* errors : {"surrogateescape", "backslashreplace"}) {
    const nb::object bytes = text.is_valid() ? encoded(text, errors) : nb::object();
    if (bytes.is_valid()) {
      return bytes_of(bytes);
    }
    PyErr_Clear();
  }
  return {};
}

}  // namespace forebay::bindings
