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
void bind_requests(nanobind::module_& module);
void bind_calls(nanobind::module_& module);
void bind_ndarray(nanobind::module_& module);
void bind_array_operations(nanobind::module_& module);
void bind_array_networks(nanobind::module_& module);
void bind_array_files(nanobind::module_& module);
void bind_array_images(nanobind::module_& module);
void bind_autograd(nanobind::module_& module);
/// The engine has work from Python: it is shut down before the interpreter ends.
void note_engine_use();

void bind_store_read_many(nanobind::module_& module);
void bind_stores(nanobind::module_& module);
void bind_trace(nanobind::module_& module);

}  // namespace forebay::bindings
