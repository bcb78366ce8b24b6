// The signals that end a mount in order, for a process that waits for them with other things.
#pragma once

#include <signal.h>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"

namespace forebay::fuse {

/// SIGTERM, SIGINT and SIGHUP; the last only if nohup has not had it ignored.
sigset_t stop_signal_set();

/// From now on they end this process, and threads that it starts, no more; instead, the descriptor can be
/// read. For a process with one thread.
Result<FileDescriptor> block_stop_signals();

/// From now on they come to this thread, and to those that it starts, also those that have come before.
void unblock_stop_signals();

}  // namespace forebay::fuse
