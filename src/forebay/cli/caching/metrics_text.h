// A daemon's counts as Prometheus reads them.
#pragma once

#include <string>

#include "forebay/cli/caching/top_sample.h"

namespace forebay::cli {

/// Metrics in the text format of Prometheus, version 0.0.4: those of the cache by their names in `forebay
/// cache status`, of the daemon, and of each process that it serves. Source: Prometheus' documentation,
/// "Exposition formats".
std::string metrics_text(const TopSample& sample);

}  // namespace forebay::cli
