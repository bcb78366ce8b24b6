// Checks whether a device works; used by `forebay doctor`.
#pragma once

#include "forebay/base/status.h"

namespace forebay::cuda {

/// Fills device memory with a kernel on one queue, copies it to pinned memory on another queue behind a
/// fence, and compares it on the host: 1 MiB, a few milliseconds besides opening the device (up to seconds
/// for the first use in a process). Errors are those of driver_functions() and of a build without kernels;
/// data_loss if the content is wrong. Thread safe.
Status check_device(int number);

}  // namespace forebay::cuda
