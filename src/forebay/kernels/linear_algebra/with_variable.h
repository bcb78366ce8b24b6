// A variable of the environment for the time of a call, for libraries that can be told in no other way.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"

namespace forebay::kernels {

/// Calls `work` while the environment says `variable` ("NAME=value"), whatever it said of NAME before, and
/// says again afterwards. Other threads may call getenv() meanwhile: the list that they read is neither
/// changed nor freed, as setenv() would. What they set meanwhile stays, but for NAME itself; as always, no
/// two threads may set variables at once, and a child forked meanwhile keeps the variable. Keeps some KiB for
/// ever; one call at a time.
void with_variable(const std::string& variable, absl::FunctionRef<void()> work);

}  // namespace forebay::kernels
