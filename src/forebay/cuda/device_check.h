// Does a device work? What `forebay doctor` asks.
#pragma once

#include "forebay/base/status.h"

namespace forebay::cuda {

/// Fills memory of the device by a kernel on one queue, copies it to pinned memory on another behind a fence,
/// and compares it on the host: 1 MiB, some milliseconds besides opening the device (up to seconds for the
/// first use in a process). Errors are those of driver_functions() and of a build without kernels; data_loss
/// when the content is wrong. Thread safe.
Status check_device(int number);

}  // namespace forebay::cuda
