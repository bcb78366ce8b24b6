// Runs blocking calls in parallel: stats and scans of many objects, each of which waits for a store.
#pragma once

#include <cstddef>
#include <functional>

namespace forebay {

/// Calls body(0) to body(count - 1), each once, on the calling thread and others (up to 16 in all), and
/// returns when all are done. An exception thrown by a body is rethrown here after the others are done.
void run_parallel(size_t count, const std::function<void(size_t)>& body);

}  // namespace forebay
