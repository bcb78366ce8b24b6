// Argument values between Python and the graph.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "forebay/operators/value.h"

namespace forebay::bindings {

namespace nb = nanobind;

/// None, bool, int, float, text (str, bytes, os.PathLike: see text.h), and lists or tuples of one kind
/// (integers among floats become floats; enumerations and NumPy scalars count as their numbers). Raises
/// TypeError naming `argument` for anything else.
operators::Value value_from(nb::handle object, std::string_view argument);

nb::object to_python(const operators::Value& value);

}  // namespace forebay::bindings
