// Errors of the library as gRPC's, and what gRPC says of a call in the library's terms.
#pragma once

#include <grpcpp/support/status.h>

#include <chrono>
#include <cstdint>

#include "forebay/base/status.h"

namespace forebay::serving {

/// The code of the same name. A long text is cut: it travels in a header, of which clients take 8 KiB.
grpc::Status to_grpc(const Status& status);

/// The time on steady_clock() at which a call's deadline passes; kNoDeadlineNs where it has none.
int64_t deadline_ns_of(std::chrono::system_clock::time_point deadline);

}  // namespace forebay::serving
