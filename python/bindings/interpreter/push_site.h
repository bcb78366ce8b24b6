// Which line of the user's script enqueues an operation on arrays, for errors and the trace.
#pragma once

#include <string>

namespace forebay::bindings {

/// From now on arrays' tasks carry the line of the innermost Python frame outside this package,
/// "train.py:12". Called once, when the module is made.
void install_push_sites();

/// That line; empty where it is unknown. With the GIL held.
std::string current_push_site();

}  // namespace forebay::bindings
