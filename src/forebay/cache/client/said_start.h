// What a process that has started the host's daemon tells its user.
#pragma once

#include <string>
#include <string_view>

#include "forebay/cache/client/host_client.h"

namespace forebay::cache {

/// A line that says which process it is, where it keeps what it reads and how much that may be, from what the
/// daemon says of itself (host_status.h). Empty if that says less.
std::string start_text(std::string_view status);

/// Asks the daemon and says it, once in a process, on standard error unless FOREBAY_LOG is `error` or `off`.
void say_start(HostClient& daemon);

}  // namespace forebay::cache
