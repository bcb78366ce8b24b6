// The engine and the lane that arrays of this process run on.
#pragma once

#include <memory>
#include <string_view>

#include "absl/types/span.h"
#include "forebay/engine/engine.h"

namespace forebay::ndarray {

/// The process's engine with FOREBAY_ARRAY_WORKERS workers (default: one a CPU), and the lane of all arrays.
/// In a forked child fresh ones: arrays of the parent cannot be used there.
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

/// Queues `body` on the lane of the arrays. In the naive engine: runs it, unless it needs what another thread
/// is computing, and returns the first error that `writes` carry then.
Status push(std::string_view name, absl::Span<const engine::Variable> reads,
            absl::Span<const engine::Variable> writes, engine::TaskBody body);

/// What a waiting thread is asked from time to time; true ends the wait as cancelled. For Python's signals.
/// Of the calling thread; empty: nothing.
void set_interruption(std::function<bool()> interrupted);

Status wait_for(const engine::Variable& variable);

/// Waits for all tasks of all arrays. The first error since the last call, as Engine::wait_all.
Status wait_for_all();

}  // namespace forebay::ndarray
