// The worker's side of the conversation, for workers in C++: it takes requests from the socket, lets a
// program compute, and puts the outputs into shared memory.
#pragma once

#include <string>
#include <vector>

#include "forebay/serving/processes/worker_message.h"

namespace forebay::serving {

struct WorkerRequest {
  std::string id;
  std::vector<NamedTensor> inputs;   // over shared memory, read-only; gone when run() has returned
  std::vector<std::string> outputs;  // empty: all
  Parameters parameters;
};

/// What a worker computes.
class WorkerProgram {
 public:
  virtual ~WorkerProgram() = default;
  virtual Result<ReadyMessage> load() = 0;
  virtual Result<std::vector<NamedTensor>> run(WorkerRequest request) = 0;
};

/// Loads, then answers requests until the socket (kWorkerSocket) ends. Returns the process's exit code.
/// The process ends with its parent, and ignores SIGTERM and SIGINT.
int serve_worker(WorkerProgram& program);

}  // namespace forebay::serving
