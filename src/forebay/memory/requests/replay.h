// Replays a log of requests against any resource.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/memory/memory_resource.h"
#include "forebay/memory/requests/request_log.h"

namespace forebay::memory {

struct ReplayOptions {
  /// Queues of the log, in order of first appearance, become queues 0, 1, ... of this driver. Requests
  /// without a queue are the host's. On a device they belong to a queue if the log names no other, since that
  /// is how RMM writes its default stream.
  uint32_t driver = 0;
  /// true: one request at a time, in the log's order. false: each thread goes as fast as it can and waits
  /// only for blocks that another thread has not been given yet.
  bool is_in_order = true;
};

struct ReplayReport {
  uint64_t allocations = 0;  // successful ones
  uint64_t failures = 0;     // failures of the resource
  uint64_t frees = 0;
  uint64_t skipped = 0;  // frees of blocks that the log never shows allocated, and failures in the log itself
  uint64_t unreturned = 0;  // blocks freed after the end of the log
  uint64_t peak_bytes = 0;  // peak of requested bytes, according to the log
  uint32_t threads = 0;
  uint32_t queues = 0;
  double seconds = 0;         // from the first to the last request
  double ns_per_request = 0;  // time spent in the resource
  Status first_failure;
};

/// Each thread in the log becomes a thread, each queue a queue. The memory is not touched. resource_exhausted
/// for a log of more than 1,024 threads.
Result<ReplayReport> replay(const std::vector<Request>& log, MemoryResource& resource,
                            const ReplayOptions& options = {});

}  // namespace forebay::memory
