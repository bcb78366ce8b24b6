// The engine and the lane that arrays of this process run on.
#pragma once

#include <memory>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "forebay/engine/engine.h"

namespace forebay::ndarray {

/// The process's engine with FOREBAY_ARRAY_WORKERS workers (default: one a CPU), and the lane of all arrays.
/// In a forked child fresh ones: arrays of the parent cannot be used there.
///
/// A script that waits for nothing takes FOREBAY_ARRAY_RUN_AHEAD bytes more (default: 4 MiB) than one that
/// waits for each operation: what would pass them runs in its turn.
///
/// With FOREBAY_ARRAY_ENGINE=naive, for debugging, an engine of the arrays' own without threads: push() runs
/// the task before it returns, on the thread that calls, and what goes wrong is returned there too.
struct Runtime {
  std::shared_ptr<engine::Engine> engine;
  engine::LaneRef lane;
  bool is_naive = false;
};
Runtime& runtime();

engine::Variable new_variable();

/// Queues `body` on the lane of the arrays, pushed from where set_site() says. In the naive engine: runs it,
/// unless it needs what another thread is computing, and returns the first error that `writes` carry then.
///
/// Waits when very many tasks are queued already, until half of them are done: see set_blocking().
Status push(engine::TaskOptions options, engine::TaskBody body);

/// What is called around such a wait with the wait itself, for threads that hold a lock which tasks may need:
/// Python's. For the whole process; set before the first task.
using Blocking = Status (*)(absl::FunctionRef<Status()> wait);
void set_blocking(Blocking blocking);

/// Says where the calling thread pushes from, "file:line", valid until it is asked again; empty: unknown.
/// nullptr: nobody is asked. For the line of Python's script.
void set_site(std::string_view (*site)());

/// What a waiting thread is asked from time to time; true ends the wait as cancelled. For Python's signals.
/// Of the calling thread; empty: nothing.
void set_interruption(std::function<bool()> interrupted);

Status wait_for(const engine::Variable& variable);

/// Waits for all tasks of all arrays. The first error since the last call, as Engine::wait_all.
Status wait_for_all();

}  // namespace forebay::ndarray
