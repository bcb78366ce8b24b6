// Converts results of the driver's functions to errors.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/cuda/driver/driver_functions.h"

namespace forebay::cuda {

/// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory", as the driver describes it.
std::string words_of(const DriverFunctions& functions, int error);

/// OK for kSuccess, else "`what`: description". resource_exhausted for lack of memory, invalid_argument for
/// an invalid value or device, unimplemented for what the device cannot do, failed_precondition for a driver
/// that was not initialised in this process or has shut down, else unavailable.
Status status_of(const DriverFunctions& functions, int error, std::string_view what);

/// Whether the context can never run anything again after that error: a fault of a kernel or the hardware, a
/// destroyed context, a forked process.
bool is_final(int error);

}  // namespace forebay::cuda
