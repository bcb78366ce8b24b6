// The cache of a process's remote stores, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace forebay::bindings {

void bind_caching(nanobind::module_& module);

}  // namespace forebay::bindings
