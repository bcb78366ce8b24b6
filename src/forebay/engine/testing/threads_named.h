// Counts threads by their names, to tell which an engine has.
#pragma once

#include <string_view>

namespace forebay::engine::testing {

/// Threads of this process with that name, which is at most 15 bytes long.
int threads_named(std::string_view wanted);

}  // namespace forebay::engine::testing
