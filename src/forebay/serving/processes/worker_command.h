// How the process of a model is started.
#pragma once

#include <string>
#include <vector>

namespace forebay::serving {

/// The worker finds the socket to us as descriptor kWorkerSocket, and FOREBAY_WORKER_PARENT in its
/// environment: our process, whose end is to be its own.
struct WorkerCommand {
  std::vector<std::string> words;        // the program, by its path or as it is found on PATH, and arguments
  std::vector<std::string> environment;  // "NAME=value", beside ours
};

inline constexpr int kWorkerSocket = 3;
inline constexpr const char* kWorkerParent = "FOREBAY_WORKER_PARENT";

}  // namespace forebay::serving
