// The engine and lane that run this process's arrays.
#pragma once

#include <memory>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "forebay/engine/engine.h"

namespace forebay::ndarray {

/// The process's engine with FOREBAY_ARRAY_WORKERS workers (default: one per CPU), and the lane of all
/// arrays. A forked child gets new ones: the parent's arrays cannot be used there.
///
/// A script that never waits uses at most FOREBAY_ARRAY_RUN_AHEAD bytes more (default: 4 MiB) than one that
/// waits for each operation; tasks that would exceed that wait for their turn.
///
/// With FOREBAY_ARRAY_ENGINE=naive, for debugging, arrays have their own engine without threads: push() runs
/// the task on the calling thread before it returns, and returns its error.
struct Runtime {
  std::shared_ptr<engine::Engine> engine;
  engine::LaneRef lane;
  bool is_naive = false;
};
Runtime& runtime();

engine::Variable new_variable();

/// Queues `body` on the arrays' lane, with the site that set_site() provides unless it has one. In the naive
/// engine it runs the body, unless the body needs what another thread is computing, and returns the first
/// error that `writes` then carry.
///
/// If very many tasks are queued already, blocks until half of them are done: see set_blocking().
Status push(engine::TaskOptions options, engine::TaskBody body);

/// A function called with such a wait as its argument, for threads that hold a lock which tasks may need,
/// such as Python's. Process-wide; set it before the first task.
using Blocking = Status (*)(absl::FunctionRef<Status()> wait);
void set_blocking(Blocking blocking);

/// Sets a function that returns where the calling thread pushes from, "file:line", valid until its next call;
/// empty if unknown. nullptr: none. Used for the line of the Python script.
void set_site(std::string_view (*site)());

/// Sets a function that a waiting thread calls from time to time; if it returns true the wait ends as
/// cancelled. Used for Python's signals. Applies to the calling thread; empty: none.
void set_interruption(std::function<bool()> interrupted);

Status wait_for(const engine::Variable& variable);

/// Blocks until all tasks of all arrays are done. Returns the first error since the last call, like
/// Engine::wait_all.
Status wait_for_all();

}  // namespace forebay::ndarray
