// A cache's counts as JSON, for `forebay cache status` and the daemon's answer.
#pragma once

#include <string>

#include "forebay/cache/cache_options.h"

namespace forebay::cache {

std::string statistics_json(const CacheStatistics& statistics);

}  // namespace forebay::cache
