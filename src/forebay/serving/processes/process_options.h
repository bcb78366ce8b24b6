// What a model in processes of its own is started with.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "forebay/base/units.h"
#include "forebay/serving/inference/inference.h"
#include "forebay/serving/processes/request_queue.h"
#include "forebay/serving/processes/worker_command.h"

namespace forebay::serving {

struct ProcessModelOptions {
  std::string name;
  std::string version;
  WorkerCommand command;
  int instances = 1;  // processes, each of which answers one request at a time
  RequestQueueLimits queue;
  uint64_t most_shared_bytes = kGiB;          // of an instance, for inputs, and the same for outputs
  uint64_t memory_limit_bytes = 0;            // above 0: of an instance, RLIMIT_DATA
  int64_t start_patience_ns = 120 * kSecond;  // for the model to be loaded
  std::stop_token stop = {};                  // gives up loading it
  int64_t end_patience_ns = 5 * kSecond;      // for an instance to end when asked to; then it is killed
  /// An instance that does not answer is killed so long after the request's deadline, and in any case when a
  /// run has taken `longest_run_ns`.
  int64_t kill_after_ns = 30 * kSecond;
  int64_t longest_run_ns = 600 * kSecond;
  /// An instance that has failed is started again, always, after a pause, which doubles from the first to the
  /// longest. Once all have failed so many times in a row requests are refused until one is loaded again.
  int most_failures = 5;
  int64_t first_pause_ns = 100 * kMillisecond;
  int64_t longest_pause_ns = 10 * kSecond;
  /// An answer ends a row of failures, and so does a process that has run for so long.
  int64_t steady_after_ns = 60 * kSecond;
};

}  // namespace forebay::serving
