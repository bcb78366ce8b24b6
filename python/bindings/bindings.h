// Each function adds the Python face of one C++ folder to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace forebay::bindings {

void bind_memory(nanobind::module_& module);
void bind_tensor(nanobind::module_& module);
void bind_array(nanobind::module_& module);
void bind_columns(nanobind::module_& module);
void bind_operators(nanobind::module_& module);
void bind_graph(nanobind::module_& module);
void bind_session(nanobind::module_& module);
void bind_trace(nanobind::module_& module);

}  // namespace forebay::bindings
