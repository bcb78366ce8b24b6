// Where a door may listen: what gRPC would ask a name server about is refused.
#pragma once

#include <string>

#include "forebay/base/status.h"

namespace forebay::serving {

/// invalid_argument unless `address` is one in numbers or "localhost", with a port ("127.0.0.1:8001",
/// "[::1]:8001", "localhost:0"), or "unix:PATH".
Status check_listen_address(const std::string& address);

}  // namespace forebay::serving
