// Runs a random program on an engine and notes what happens.
#pragma once

#include <cstdint>

#include "forebay/base/trace/trace.h"
#include "forebay/engine/testing/history.h"

namespace forebay::engine::testing {

/// All on this thread, on an engine without workers: which script goes on, when a task runs and when an
/// asynchronous one completes follows from `schedule` alone, so that a failure comes again with its two
/// seeds.
void run_stepped(History& history, uint32_t schedule, Trace* trace = nullptr);

struct ThreadedOptions {
  int workers = 2;
  int devices = 2;  // threads that complete asynchronous tasks
  Trace* trace = nullptr;
};

/// Each script on a thread of its own, tasks on workers.
void run_threaded(History& history, const ThreadedOptions& options);

}  // namespace forebay::engine::testing
