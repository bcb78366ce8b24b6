// NumPy's data-memory handler over the process's pool. NumPy keeps its handler per context (a context
// variable), so each thread has its own; an array gives its memory back to the handler it was made with.
#pragma once

#include <nanobind/nanobind.h>

#include "forebay/memory/host/host_blocks.h"

namespace forebay::bindings {

/// Puts the pool under arrays made in this context from now on; the handler that was in place until now.
/// ImportError without NumPy, RuntimeError when it is older than 1.22.
nanobind::object install_numpy_handler();

/// Puts `previous` back in place. False, and nothing is changed, when this context's handler is not the
/// pool's.
bool restore_numpy_handler(nanobind::handle previous);

/// Of all arrays made with the handler, in every context.
memory::HostBlockStatistics numpy_statistics();

}  // namespace forebay::bindings
