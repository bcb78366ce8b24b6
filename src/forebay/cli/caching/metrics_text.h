// A daemon's counts as Prometheus reads them.
#pragma once

#include <stop_token>
#include <string>

#include "forebay/cli/caching/top_sample.h"

namespace forebay::cli {

/// Metrics in the text format of Prometheus, version 0.0.4: those of the cache, of what is written back, of
/// the daemon, and of the processes that it tells of, at most 32, of which those that wait longest. Source:
/// Prometheus' documentation, "Exposition formats" and "Metric and label naming".
std::string metrics_text(const TopSample& sample);

/// What is said where no daemon serves.
std::string metrics_without_daemon();

/// What the daemon of this user and host says now, or that there is none. Blocks until it answers or `stop`.
Result<std::string> metrics_now(const std::stop_token& stop);

}  // namespace forebay::cli
