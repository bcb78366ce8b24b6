// How requests are put together to batches, as Triton's `dynamic_batching` says it.
// Source: Triton's model configuration, ModelDynamicBatching and ModelQueuePolicy.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace forebay::serving {

/// How many requests may wait at one level of priority where nothing is said: a queue without a limit takes
/// memory from everybody, and whoever stands that far back has waited in vain.
inline constexpr uint64_t kDefaultMaxQueueSize = 4096;

/// What becomes of requests that wait, at one level of priority.
struct QueuePolicy {
  /// How long a request may wait until it is overdue; 0: any time. A request's own deadline counts as well,
  /// and after it the request is refused in any case.
  int64_t timeout_ns = 0;
  /// An overdue request is not refused, but comes after all that are not overdue, at its level or above.
  bool delays_overdue = false;
  uint64_t max_queue_size = 0;  // requests; 0: kDefaultMaxQueueSize

  friend bool operator==(const QueuePolicy&, const QueuePolicy&) = default;
};

struct BatchingOptions {
  int64_t max_batch_size = 0;            // rows; below 2: every request is run alone
  std::vector<int64_t> preferred_sizes;  // rows; a batch of one of these sizes is run without delay
  int64_t max_queue_delay_ns = 0;        // how long a request may wait for others to join it
  bool preserves_order = false;          // answers in the order of the requests
  uint64_t priority_levels = 0;          // 1 is the highest; 0: all requests are equal
  uint64_t default_priority = 0;         // of requests that name none
  QueuePolicy default_policy;
  std::map<uint64_t, QueuePolicy> policies;  // of the levels that have one of their own

  int64_t max_running = 1;                        // batches that the model runs at a time
  uint64_t max_queue_bytes = uint64_t{1} << 30U;  // of all requests that wait

  friend bool operator==(const BatchingOptions&, const BatchingOptions&) = default;
};

}  // namespace forebay::serving
