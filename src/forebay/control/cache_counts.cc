#include "forebay/control/cache_counts.h"

#include <nlohmann/json.hpp>

#include "forebay/cache/client/install_host.h"

namespace forebay::control {

Result<std::shared_ptr<cache::HostClient>> connect_to_cache() {
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  Result<std::shared_ptr<cache::HostClient>> client = cache::HostClient::connect(socket);
  if (!client.ok()) {
    return annotate(client.status(), "no cache is served here; `forebay daemon` serves one");
  }
  return client;
}

Result<std::string> ask_cache_counts(const std::stop_token& stop) {
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::HostClient> client, connect_to_cache());
  return client->statistics(stop);
}

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

}  // namespace forebay::control
