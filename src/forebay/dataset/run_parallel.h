// Waiting calls side by side: stats and scans of many objects, of which each waits for a store.
#pragma once

#include <cstddef>
#include <functional>

namespace forebay::dataset {

/// Calls body(0) to body(count - 1), each once, on the calling thread and some others (16 in all, where there
/// is enough to do); returns when all are done. An exception of a body is thrown here, after the others.
void run_parallel(size_t count, const std::function<void(size_t)>& body);

}  // namespace forebay::dataset
