// NVIDIA's GPUs at the borders. The GPU that an array of another framework lies on, or whose memory a
// framework wants, is opened when it first comes up and kept to the end of the process. Its streams, the
// frameworks' own among them, are queues under CUDA's numbers (streams.h).
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/strided_array.h"

namespace forebay::exchange {

/// The device driver of GPU `number`, as CUDA counts in this process. Errors are those of
/// cuda::Device::create. Thread safe.
Result<uint32_t> cuda_driver(int number);

/// The driver whose streams the numbers of other frameworks mean: the first whose streams have names, else
/// GPU 0, opened now. Errors as above. Thread safe.
Result<uint32_t> driver_of_streams();

/// For an array that DLPack brought from a GPU: its producer has made the legacy default stream wait for the
/// content, so the array is ready when what is on that stream by now has passed. Arrays elsewhere stay as
/// they are. Errors as above.
Status take_after_default_stream(const StridedArray& array);

}  // namespace forebay::exchange
