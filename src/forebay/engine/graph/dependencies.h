// The rules of which task waits for which, on the access lists of variables. No locks and no threads: the
// graph calls these functions under the engine's mutex, the tests call them without one.
//
// A device task waits for other device tasks only until they are issued; from then on the device's queues
// keep the order. So its access may be granted while theirs are still in the list. Accesses leave the list as
// usual: a write when nothing is before it, a read when no write is before it.
#pragma once

#include "absl/functional/function_ref.h"
#include "forebay/engine/graph/task.h"

namespace forebay::engine {

/// Appends an access to its variable's list and grants it if nothing blocks it.
void append_access(Access& access) FOREBAY_HOLDS;

/// Removes a finished access and grants the accesses that waited for it. A task whose last missing grant this
/// was is added to `unblocked`.
void remove_access(Access& access, TaskList& unblocked) FOREBAY_HOLDS;

/// Marks an access of a device task as issued, and grants the accesses of other device tasks that waited for
/// that.
void issue_access(Access& access, TaskList& unblocked) FOREBAY_HOLDS;

/// Whether `access` may leave its list.
bool is_first(const Access& access) FOREBAY_HOLDS;
/// Whether all accesses of `task` may leave their lists.
bool is_first(const Task& task) FOREBAY_HOLDS;

/// Calls `visit` for each unfinished access before `access` that conflicts with it, newest first, until
/// `visit` returns false. These are the accesses that `access` waits for, or waited for until they were
/// issued.
void visit_conflicts(const Access& access, absl::FunctionRef<bool(Access&)> visit) FOREBAY_HOLDS;

/// Calls `visit` for each access that waits for `access`, or waited until it was issued, oldest first, until
/// `visit` returns false.
void visit_followers(const Access& access, absl::FunctionRef<bool(Access&)> visit) FOREBAY_HOLDS;

/// Calls `visit` for each unfinished access that `access` waits for directly, newest first, until `visit`
/// returns false.
void visit_predecessors(const Access& access, absl::FunctionRef<bool(Access&)> visit) FOREBAY_HOLDS;

}  // namespace forebay::engine
