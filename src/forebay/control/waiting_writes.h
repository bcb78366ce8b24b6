// Waiting until what was written to mounts that are written back is stored.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::control {

/// What waits to be stored.
struct WaitingWrites {
  uint64_t objects = 0;
  uint64_t failing = 0;    // of them, could not be stored so far
  std::string last_error;  // empty: none
};

struct FlushRequest {
  std::string name;  // a path or URI; empty: everything
  int64_t patience_ns = std::numeric_limits<int64_t>::max();
  /// Where the program `forebay` may be: a daemon is started if something waits and none runs.
  std::vector<std::string> programs;
};

/// Who watches; `on_progress` may be empty, and is called by the calling thread.
struct FlushWatcher {
  std::stop_token stop;  // ends the waiting with `cancelled`
  std::function<void(const WaitingWrites& left, uint64_t most)> on_progress;
};

struct Flushed {
  uint64_t stored = 0;
  WaitingWrites left;  // after `patience_ns`

  /// deadline_exceeded if something is left.
  Status status() const;
};

/// Waits until nothing waits, and lets the daemon try what was put off at once. Blocks.
Result<Flushed> flush_writes(const FlushRequest& request, const FlushWatcher& watcher);

}  // namespace forebay::control
