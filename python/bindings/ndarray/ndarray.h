// ndarray::Array in Python: the class NDArrayBase, and making objects of the class that the package derives
// from it.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "bindings/interpreter/errors.h"
#include "forebay/ndarray/array.h"

namespace forebay::bindings {

/// True for NDArrayBase and what is derived from it.
bool is_ndarray(nb::handle object);
/// TypeError for anything else.
ndarray::Array& ndarray_of(nb::handle object);

/// An object of the class that set_ndarray_class() named.
class NdarrayObject : public nb::object {
  NB_OBJECT_DEFAULT(NdarrayObject, nb::object, "forebay.nd.NDArray", is_ndarray)
};

NdarrayObject wrapped(ndarray::Array array);
inline NdarrayObject wrapped(Result<ndarray::Array> array) {
  return wrapped(value_of(std::move(array)));
}
nb::typed<nb::list, NdarrayObject> wrapped_list(Result<ndarray::Arrays> arrays);

/// A sequence of arrays. TypeError.
ndarray::Arrays arrays_of(nb::handle sequence);
/// A shape from a sequence of integers or one integer. TypeError, ValueError.
tensor::Shape shape_from_python(nb::handle extents);
/// "float32", "int64"... (NumPy's names). ValueError.
tensor::DType dtype_from_python(const std::string& name);

/// Arithmetic and comparison, in ndarray_operators.cc.
void bind_ndarray_operators(nb::class_<ndarray::Array>& binding);

}  // namespace forebay::bindings
