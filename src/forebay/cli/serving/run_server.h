// Runs the server until a signal ends it.
#pragma once

#include "forebay/cli/serving/serve_options.h"

namespace forebay::cli {

/// Prints where it listens once the models are loaded; those that could not be are named. After SIGTERM or
/// SIGINT it takes no more requests, lets those under way end, and returns.
Status run_server(const ServeOptions& options);

}  // namespace forebay::cli
