// Python's operators of arrays: the other operand is an array or a number.
#include <optional>

#include "bindings/ndarray/ndarray.h"
#include "forebay/ndarray/algebra/elementwise.h"

namespace forebay::bindings {
namespace {

using ndarray::ArithmeticOp;
using ndarray::Array;

double float_of(nb::handle object) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) {
    throw nb::python_error();
  }
  return value;
}

std::optional<double> number_of(nb::handle object) {
  if (PyFloat_Check(object.ptr())) {
    return PyFloat_AsDouble(object.ptr());
  }
  if (PyLong_CheckExact(object.ptr())) {
    return float_of(object);
  }
  if (PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())), "_operates_on_arrays") !=
      0) {
    return std::nullopt;  // its own operators take arrays, and do not wait for its value
  }
  if (PyLong_Check(object.ptr()) || PyObject_HasAttrString(object.ptr(), "__float__") != 0) {
    const bool is_array = PyObject_HasAttrString(object.ptr(), "shape") != 0 &&
                          PyObject_Length(nb::getattr(object, "shape").ptr()) != 0;
    if (is_array) {
      return std::nullopt;
    }
    return float_of(object);
  }
  return std::nullopt;
}

nb::object not_implemented() {
  return nb::borrow(Py_NotImplemented);
}

template <ArithmeticOp kOp, bool kReversed = false>
nb::object operate(const Array& self, nb::handle other) {
  if (is_ndarray(other)) {
    const Array& right = ndarray_of(other);
    return wrapped(kReversed ? ndarray::binary(kOp, right, self) : ndarray::binary(kOp, self, right));
  }
  if (const auto number = number_of(other)) {
    return wrapped(ndarray::with_scalar(kOp, self, *number, kReversed));
  }
  return not_implemented();
}

template <ArithmeticOp kOp>
nb::object operate_in_place(nb::object self, nb::handle other) {
  const Array& array = ndarray_of(self);
  if (is_ndarray(other)) {
    check(ndarray::binary_into(kOp, array, ndarray_of(other), array));
  } else if (const auto number = number_of(other)) {
    check(ndarray::with_scalar_into(kOp, array, *number, array));
  } else {
    return not_implemented();
  }
  return self;
}

}  // namespace

#define FOREBAY_BINARY(name, reversed, op)                                                          \
  binding                                                                                           \
      .def("__" #name "__", &operate<ArithmeticOp::op>, nb::is_operator(),                          \
           nb::sig("def __" #name "__(self, other: NDArrayBase | float, /) -> forebay.nd.NDArray")) \
      .def("__" #reversed "__", &operate<ArithmeticOp::op, true>, nb::is_operator(),                \
           nb::sig("def __" #reversed "__(self, other: NDArrayBase | float, /) -> forebay.nd.NDArray"))
#define FOREBAY_IN_PLACE(name, op)                                                     \
  binding.def("__" #name "__", &operate_in_place<ArithmeticOp::op>, nb::is_operator(), \
              nb::sig("def __" #name "__(self, other: NDArrayBase | float, /) -> forebay.nd.NDArray"))
#define FOREBAY_COMPARISON(name, op)                                          \
  binding.def("__" #name "__", &operate<ArithmeticOp::op>, nb::is_operator(), \
              nb::sig("def __" #name "__(self, other: object, /) -> forebay.nd.NDArray"))

void bind_ndarray_operators(nb::class_<Array>& binding) {
  FOREBAY_BINARY(add, radd, kAdd);
  FOREBAY_BINARY(sub, rsub, kSub);
  FOREBAY_BINARY(mul, rmul, kMul);
  FOREBAY_BINARY(truediv, rtruediv, kDiv);
  FOREBAY_BINARY(pow, rpow, kPow);
  FOREBAY_IN_PLACE(iadd, kAdd);
  FOREBAY_IN_PLACE(isub, kSub);
  FOREBAY_IN_PLACE(imul, kMul);
  FOREBAY_IN_PLACE(itruediv, kDiv);
  FOREBAY_COMPARISON(lt, kLess);
  FOREBAY_COMPARISON(le, kLessEqual);
  FOREBAY_COMPARISON(gt, kGreater);
  FOREBAY_COMPARISON(ge, kGreaterEqual);
  binding.def("__neg__", [](const Array& self) { return wrapped(ndarray::negated(self)); })
      .def("__abs__", [](const Array& self) { return wrapped(ndarray::unary(ArithmeticOp::kAbs, self)); });
}
#undef FOREBAY_BINARY
#undef FOREBAY_IN_PLACE
#undef FOREBAY_COMPARISON

}  // namespace forebay::bindings
