// Operations on arrays: elements chosen by index arrays.
#include "bindings/ndarray/array_operations.h"
#include "forebay/ndarray/selection/gathering.h"

namespace forebay::bindings {
namespace {

using ndarray::Array;
using ndarray::IndexMode;

IndexMode mode_from_python(const std::string& name) {
  if (name == "clip") {
    return IndexMode::kClip;
  }
  if (name == "wrap") {
    return IndexMode::kWrap;
  }
  if (name == "raise") {
    return IndexMode::kRaise;
  }
  throw nb::value_error("indices out of range are 'clip', 'wrap' or 'raise'");
}

void bind_axis_indexing(ArrayBinding& binding) {
  binding
      .def_static(
          "take",
          [](const Array& array, const Array& indices, int axis, const std::string& mode) {
            return wrapped(ndarray::take(array, indices, axis, mode_from_python(mode)));
          },
          nb::arg("array"), nb::arg("indices"), nb::arg("axis"), nb::arg("mode"))
      .def_static(
          "pick",
          [](const Array& array, const Array& indices, int axis, bool keepdims, const std::string& mode) {
            return wrapped(ndarray::pick(array, indices, axis, keepdims, mode_from_python(mode)));
          },
          nb::arg("array"), nb::arg("indices"), nb::arg("axis"), nb::arg("keepdims"), nb::arg("mode"))
      .def_static(
          "take_along_axis",
          [](const Array& array, const Array& indices, int axis) {
            return wrapped(ndarray::take_along_axis(array, indices, axis));
          },
          nb::arg("array"), nb::arg("indices"), nb::arg("axis"));
}

void bind_row_indexing(ArrayBinding& binding) {
  binding
      .def_static(
          "gather_nd",
          [](const Array& array, const Array& indices) {
            return wrapped(ndarray::gather_nd(array, indices));
          },
          nb::arg("array"), nb::arg("indices"))
      .def_static(
          "scatter_nd",
          [](const Array& values, const Array& indices, nb::handle shape) {
            return wrapped(ndarray::scatter_nd(values, indices, shape_from_python(shape)));
          },
          nb::arg("values"), nb::arg("indices"), nb::arg("shape"))
      .def_static(
          "gather_rows",
          [](const Array& array, const Array& rows, nb::handle row_shape) {
            return wrapped(ndarray::gather_rows(array, rows, shape_from_python(row_shape)));
          },
          nb::arg("array"), nb::arg("rows"), nb::arg("row_shape"))
      .def_static(
          "assign_rows",
          [](const Array& values, const Array& rows, nb::handle row_shape, const Array& target) {
            check(ndarray::assign_rows(values, rows, shape_from_python(row_shape), target));
          },
          nb::arg("values"), nb::arg("rows"), nb::arg("row_shape"), nb::arg("target"));
}

}  // namespace

void bind_array_indexing(ArrayBinding& binding) {
  bind_axis_indexing(binding);
  bind_row_indexing(binding);
  binding
      .def_static(
          "where",
          [](const Array& condition, const Array& a, const Array& b) {
            return wrapped(ndarray::where(condition, a, b));
          },
          nb::arg("condition"), nb::arg("a"), nb::arg("b"))
      .def_static(
          "one_hot",
          [](const Array& indices, int64_t depth, double on, double off, const std::string& dtype) {
            return wrapped(ndarray::one_hot(indices, depth, on, off, dtype_from_python(dtype)));
          },
          nb::arg("indices"), nb::arg("depth"), nb::arg("on"), nb::arg("off"), nb::arg("dtype"));
}

}  // namespace forebay::bindings
