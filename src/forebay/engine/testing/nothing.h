// The body of a task that does nothing, for tests of what happens around it.
#pragma once

#include "forebay/base/status.h"

namespace forebay::engine {

inline Status nothing() {
  return ok_status();
}

}  // namespace forebay::engine
