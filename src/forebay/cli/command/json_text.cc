#include "forebay/cli/command/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "forebay/base/utf8.h"

namespace forebay::cli {

void put_name(nlohmann::json& json, const std::string& field, std::string_view name) {
  json[field] = std::string(name);
  if (is_utf8(name)) {
    return;
  }
  std::string hex;
  for (const char c : name) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  json[field + "_hex"] = hex;
}

nlohmann::json entry_json(std::string_view name, bool is_folder, const storage::ObjectStat& stat) {
  nlohmann::json json = {{"kind", is_folder ? "folder" : "object"}};
  put_name(json, "name", name);
  if (!is_folder) {
    json["size"] = stat.size_bytes;
  }
  if (stat.modified_ns != 0) {
    json["modified_ns"] = stat.modified_ns;
  }
  if (!stat.version.empty()) {
    json["version"] = stat.version;
  }
  return json;
}

std::string json_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace forebay::cli
