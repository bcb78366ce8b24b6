// Requests about shared memory, and its state, as JSON.
#include "forebay/serving/protocol/region_json.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "forebay/serving/protocol/json_values.h"

namespace forebay::serving {

Result<SharedRegion> parse_region_request(std::string name, std::string_view body) {
  FOREBAY_ASSIGN_OR_RETURN(const nlohmann::json request,
                           object_from_body(body, "the request to register shared memory"));
  SharedRegion region;
  region.name = std::move(name);
  const nlohmann::json* const key = member_of(request, "key");
  const nlohmann::json* const size = member_of(request, "byte_size");
  if (key == nullptr || size == nullptr) {
    return invalid_argument("the request to register shared memory has no '{}'",
                            key == nullptr ? "key" : "byte_size");
  }
  FOREBAY_ASSIGN_OR_RETURN(region.key, text_from_json(*key, "'key'"));
  FOREBAY_ASSIGN_OR_RETURN(region.size_bytes, count_from_json(*size, "'byte_size'"));
  if (const nlohmann::json* const offset = member_of(request, "offset")) {
    FOREBAY_ASSIGN_OR_RETURN(region.offset_bytes, count_from_json(*offset, "'offset'"));
  }
  return region;
}

std::string regions_json(const std::vector<SharedRegion>& regions) {
  nlohmann::json array = nlohmann::json::array();
  for (const SharedRegion& region : regions) {
    array.push_back({{"name", region.name},
                     {"key", region.key},
                     {"offset", region.offset_bytes},
                     {"byte_size", region.size_bytes}});
  }
  return to_text(array);
}

}  // namespace forebay::serving
