// The daemon that serves here, and what it says of its cache: an object of JSON with counts by name.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "forebay/cache/client/host_client.h"

namespace forebay::control {

/// The connection to the daemon that serves here; none is started. Blocks.
Result<std::shared_ptr<cache::HostClient>> connect_to_cache();

/// The counts of the daemon that serves here, in JSON. Blocks until it answers or `stop`.
Result<std::string> ask_cache_counts(const std::stop_token& stop = {});

/// data_loss unless it is an object, which no daemon fails to say.
Result<nlohmann::json> parse_cache_counts(std::string_view text);

/// The count of a name; 0 if there is none, as of a daemon of another version.
uint64_t count_in_json(const nlohmann::json& counts, std::string_view name);

}  // namespace forebay::control
