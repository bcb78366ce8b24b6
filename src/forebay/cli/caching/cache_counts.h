// What a daemon says of its cache: an object of JSON with counts by name.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::cli {

/// data_loss unless it is an object, which no daemon fails to say.
Result<nlohmann::json> parse_cache_counts(std::string_view text);

/// The count of a name; 0 if there is none, as of a daemon of another version.
uint64_t count_in_json(const nlohmann::json& counts, std::string_view name);

/// The counts of the daemon that serves here.
Result<nlohmann::json> ask_cache_counts();

}  // namespace forebay::cli
