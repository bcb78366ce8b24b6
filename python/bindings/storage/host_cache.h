// Looking after the host's cache, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace forebay::bindings {

/// Functions for `forebay.host_cache`. `programs`: where the program `forebay` may be.
void bind_host_cache(nanobind::module_& module, std::vector<std::string> programs);

}  // namespace forebay::bindings
