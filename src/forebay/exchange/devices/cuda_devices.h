// NVIDIA's GPUs at the borders to other frameworks. A GPU is opened when an array on it first arrives, or a
// framework first wants its memory, and stays open until the process ends. Its streams, including the
// frameworks' own, are queues named by CUDA's numbers (streams.h).
#pragma once

#include <cstdint>

#include "forebay/base/status.h"

namespace forebay::exchange {

/// Returns the device driver of GPU `number`, as CUDA counts in this process. Errors are those of
/// cuda::Device::create. Thread safe.
Result<uint32_t> cuda_driver(int number);

/// Returns the driver that other frameworks' stream numbers refer to: the first whose streams have names,
/// else GPU 0, which is then opened. Errors as above. Thread safe.
Result<uint32_t> driver_of_streams();

}  // namespace forebay::exchange
