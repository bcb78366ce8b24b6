#include "forebay/cli/caching/cache_counts.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "forebay/cli/caching/cache_commands.h"

namespace forebay::cli {

Result<nlohmann::json> parse_cache_counts(std::string_view text) {
  nlohmann::json counts = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!counts.is_object()) {
    return data_loss("the daemon's counts cannot be read");
  }
  return counts;
}

uint64_t count_in_json(const nlohmann::json& counts, std::string_view name) {
  const auto found = counts.find(name);
  return found != counts.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

Result<nlohmann::json> ask_cache_counts() {
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::HostClient> client, connect_to_cache());
  FOREBAY_ASSIGN_OR_RETURN(const std::string text, client->statistics());
  return parse_cache_counts(text);
}

}  // namespace forebay::cli
