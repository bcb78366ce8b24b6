// Starts the process of a model with nothing of ours but what it needs.
#pragma once

#include <sys/types.h>

#include "forebay/base/status.h"
#include "forebay/serving/processes/worker_command.h"

namespace forebay::serving {

/// Starts `command`: no signal is blocked or ignored in it, standard input leads nowhere, output and error go
/// to `output`, `socket` is kWorkerSocket, and no other descriptor is open. Both stay the caller's.
Result<pid_t> spawn_worker(const WorkerCommand& command, int socket, int output);

}  // namespace forebay::serving
