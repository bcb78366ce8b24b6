// Which line of the user's script enqueues an operation on arrays, for errors and the trace.
#pragma once

namespace forebay::bindings {

/// From now on arrays' tasks carry the line of the innermost Python frame outside this package,
/// "train.py:12". Called once, when the module is made.
void install_push_sites();

}  // namespace forebay::bindings
