// The rules of who waits for whom, on the access lists of variables. No locks, no threads: the Core calls
// these under its mutex, the tests without one.
#pragma once

#include "absl/functional/function_ref.h"
#include "forebay/engine/task.h"

namespace forebay::engine {

/// Puts an access at the end of its variable's list and grants it if it may go at once.
void append_access(Access& access);

/// Takes a finished access out and grants those that waited for it; `unblocked` is called for each task whose
/// last missing grant this was.
void remove_access(Access& access, absl::FunctionRef<void(Task&)> unblocked);

/// Calls `visit` for each unfinished access that `access` waits for directly, newest first, until it returns
/// false.
void visit_predecessors(const Access& access, absl::FunctionRef<bool(Access&)> visit);

}  // namespace forebay::engine
