// Plays a log of requests back against any resource.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/memory/memory_resource.h"
#include "forebay/memory/requests/request_log.h"

namespace forebay::memory {

struct ReplayOptions {
  /// Queues of the log, in the order of their first appearance, become queues 0, 1, ... of this driver.
  /// Requests without a queue are the host's; on a device they are a queue's if the log names no other, as
  /// RMM writes its default stream.
  uint32_t driver = 0;
  /// One request at a time, in the log's order. Else each thread goes as fast as it can and waits only for
  /// blocks that another thread has yet to be given.
  bool is_in_order = true;
};

struct ReplayReport {
  uint64_t allocations = 0;  // that succeeded
  uint64_t failures = 0;     // of the resource
  uint64_t frees = 0;
  uint64_t skipped = 0;     // returns of blocks that the log never shows handed out, and its own failures
  uint64_t unreturned = 0;  // given back when the log had ended
  uint64_t peak_bytes = 0;  // most asked for at once, by the log
  uint32_t threads = 0;
  uint32_t queues = 0;
  double seconds = 0;         // from first to last request
  double ns_per_request = 0;  // inside the resource
  Status first_failure;
};

/// Every thread of the log becomes a thread, every queue a queue. The memory is not touched.
/// resource_exhausted for a log of more than 1,024 threads.
Result<ReplayReport> replay(const std::vector<Request>& log, MemoryResource& resource,
                            const ReplayOptions& options = {});

}  // namespace forebay::memory
