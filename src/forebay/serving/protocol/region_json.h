// Requests about shared memory, and its state, as JSON. Source: Triton's "Shared-Memory Extension".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "forebay/serving/protocol/shared_regions.h"

namespace forebay::serving {

/// Of {"key", "offset", "byte_size"}, of which the offset may be left out.
Result<SharedRegion> parse_region_request(std::string name, std::string_view body);

/// An array of {"name", "key", "offset", "byte_size"}.
std::string regions_json(const std::vector<SharedRegion>& regions);

}  // namespace forebay::serving
