// What the files behind forebay._core.ArrayOperations share: one class of static methods, a file a family.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings/ndarray/ndarray.h"

namespace forebay::bindings {

struct ArrayOperations {};
using ArrayBinding = nb::class_<ArrayOperations>;

inline ndarray::ArraySpec array_spec_of(nb::handle shape, const std::string& dtype) {
  return {shape_from_python(shape), dtype_from_python(dtype)};
}

void bind_array_shapes(ArrayBinding& binding);
void bind_array_indexing(ArrayBinding& binding);
void bind_array_functions(ArrayBinding& binding);
void bind_array_sampling(ArrayBinding& binding);

}  // namespace forebay::bindings
