#include "bindings/pipeline/values.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

#include <string>
#include <vector>

#include "bindings/interpreter/text.h"

namespace forebay::bindings {
namespace {

using operators::Value;

bool is_integer(nb::handle object) {
  return PyLong_Check(object.ptr()) || PyIndex_Check(object.ptr());
}

bool is_number(nb::handle object) {
  return is_integer(object) || PyFloat_Check(object.ptr()) ||
         PyObject_HasAttrString(object.ptr(), "__float__");
}

[[noreturn]] void refuse(nb::handle object, std::string_view argument) {
  const std::string type = nb::cast<std::string>(nb::inst_name(object));
  throw nb::type_error(fmt::format("the argument '{}' cannot be of type {}", argument, type).c_str());
}

int64_t to_int(nb::handle object, std::string_view argument) {
  const nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) {
    throw nb::python_error();
  }
  int overflow = 0;
  const int64_t number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) {
    throw nb::value_error(
        fmt::format("the argument '{}': {} does not fit into 64 bits", argument, printed(index)).c_str());
  }
  return number;
}

double to_float(nb::handle object) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    throw nb::python_error();
  }
  return value;
}

Value list_from(nb::handle object, std::string_view argument) {
  bool integers = true;
  bool numbers = true;
  bool texts = true;
  for (const nb::handle item : object) {
    integers = integers && is_integer(item);
    numbers = numbers && is_number(item);
    texts = texts && is_text(item);
  }
  if (integers) {
    std::vector<int64_t> values;
    for (const nb::handle item : object) {
      values.push_back(to_int(item, argument));
    }
    return values;
  }
  if (numbers) {
    std::vector<double> values;
    for (const nb::handle item : object) {
      values.push_back(to_float(item));
    }
    return values;
  }
  if (!texts) {
    refuse(object, argument);
  }
  std::vector<std::string> values;
  for (const nb::handle item : object) {
    values.push_back(text_from_python(item));
  }
  return values;
}

struct ToPython {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(bool flag) const { return nb::bool_(flag); }
  nb::object operator()(int64_t number) const { return nb::int_(number); }
  nb::object operator()(double number) const { return nb::float_(number); }
  nb::object operator()(const std::string& text) const { return text_to_python(text); }

  template <class T>
  nb::object operator()(const std::vector<T>& items) const {
    nb::list list;
    for (const T& item : items) {
      list.append((*this)(item));
    }
    return list;
  }
};

}  // namespace

Value value_from(nb::handle object, std::string_view argument) {
  if (object.is_none()) {
    return std::monostate();
  }
  if (PyBool_Check(object.ptr())) {
    return object.ptr() == Py_True;
  }
  if (is_text(object)) {
    return text_from_python(object);
  }
  if (is_integer(object)) {
    return to_int(object, argument);
  }
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) {
    return list_from(object, argument);
  }
  if (is_number(object)) {
    return to_float(object);
  }
  refuse(object, argument);
}

nb::object to_python(const Value& value) {
  return std::visit(ToPython(), value);
}

}  // namespace forebay::bindings
