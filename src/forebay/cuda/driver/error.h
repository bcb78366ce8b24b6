// What the driver's functions return, as errors.
#pragma once

#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/cuda/driver/driver_functions.h"

namespace forebay::cuda {

/// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory", in the driver's words.
std::string words_of(const DriverFunctions& functions, int error);

/// ok for kSuccess, else "`what`: words". resource_exhausted for no memory, invalid_argument for a value or
/// device that is none, unimplemented for what the device cannot do, failed_precondition for a driver that
/// was not started in this process or has ended, else unavailable.
Status status_of(const DriverFunctions& functions, int error, std::string_view what);

/// Whether after that error the context runs nothing any more, and never will: a fault of a kernel or of the
/// hardware, a context that was destroyed, a process that was forked off.
bool is_final(int error);

}  // namespace forebay::cuda
