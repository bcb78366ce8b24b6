// The rules of who waits for whom, on the access lists of variables. No locks, no threads: the graph
// calls these under the engine's mutex, the tests without one.
//
// A task for a device waits for others of them only until they are issued: from there on the device's queues
// keep the order. So it may be granted while they are still in the list. Accesses leave the list as ever: a
// write when nothing is before it, a read when no write is.
#pragma once

#include "absl/functional/function_ref.h"
#include "forebay/engine/graph/task.h"

namespace forebay::engine {

/// Puts an access at the end of its variable's list and grants it if it may go at once.
void append_access(Access& access) FOREBAY_HOLDS;

/// Takes a finished access out and grants those that waited for it; a task whose last missing grant this was
/// goes to `unblocked`.
void remove_access(Access& access, TaskList& unblocked) FOREBAY_HOLDS;

/// An access of a task for a device has been issued: grants those of such tasks that waited for that.
void issue_access(Access& access, TaskList& unblocked) FOREBAY_HOLDS;

/// Whether `access` may leave its list.
bool is_first(const Access& access) FOREBAY_HOLDS;
/// Whether all accesses of `task` may.
bool is_first(const Task& task) FOREBAY_HOLDS;

/// Calls `visit` for each unfinished access that comes before `access` and excludes it, newest first, until
/// it returns false: what it waits for, or did until it was issued.
void visit_conflicts(const Access& access, absl::FunctionRef<bool(Access&)> visit) FOREBAY_HOLDS;

/// Calls `visit` for each access that waits for `access`, or did until it was issued, oldest first, until it
/// returns false.
void visit_followers(const Access& access, absl::FunctionRef<bool(Access&)> visit) FOREBAY_HOLDS;

/// Calls `visit` for each unfinished access that `access` waits for directly, newest first, until it returns
/// false.
void visit_predecessors(const Access& access, absl::FunctionRef<bool(Access&)> visit) FOREBAY_HOLDS;

}  // namespace forebay::engine
