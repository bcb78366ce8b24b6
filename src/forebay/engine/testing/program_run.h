// Runs a random program on an engine and records what happens.
#pragma once

#include <cstdint>

#include "forebay/base/trace/trace.h"
#include "forebay/engine/testing/history.h"

namespace forebay::engine::testing {

/// Runs everything on this thread, on an engine without workers. `schedule` alone decides which script
/// continues, when a task runs and when an asynchronous task completes, so the two seeds reproduce a failure.
void run_stepped(History& history, uint32_t schedule, Trace* trace = nullptr);

struct ThreadedOptions {
  int workers = 2;
  int devices = 2;  // threads that complete asynchronous tasks
  Trace* trace = nullptr;
};

/// Runs each script on its own thread and tasks on workers.
void run_threaded(History& history, const ThreadedOptions& options);

}  // namespace forebay::engine::testing
