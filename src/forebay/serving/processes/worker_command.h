// How the process of a model is started.
#pragma once

#include <string>
#include <vector>

namespace forebay::serving {

/// The worker finds the socket to us as descriptor kWorkerSocket, and FOREBAY_WORKER_PARENT in its
/// environment: our process, whose end is to be its own. The process of a model also finds
/// FOREBAY_WORKER_SHARED_BYTES, which bounds what its slabs of outputs have together.
struct WorkerCommand {
  std::vector<std::string> words;        // the program, by its path or as it is found on PATH, and arguments
  std::vector<std::string> environment;  // "NAME=value", beside ours
};

inline constexpr int kWorkerSocket = 3;
inline constexpr const char* kWorkerParent = "FOREBAY_WORKER_PARENT";
inline constexpr const char* kWorkerSharedBytes = "FOREBAY_WORKER_SHARED_BYTES";

}  // namespace forebay::serving
