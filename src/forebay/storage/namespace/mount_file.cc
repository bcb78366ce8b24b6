#include "forebay/storage/namespace/mount_file.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "forebay/base/utf8.h"

namespace forebay::storage {
namespace {

using Json = nlohmann::json;

Json json_of_text(const std::string& text) {
  if (is_utf8(text)) {
    return text;
  }
  std::string hex;
  for (const char c : text) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return Json{{"hex", hex}};
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

Result<std::string> text_of_hex(const std::string& hex) {
  std::string text;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = digit_of(hex[i]);
    const int low = digit_of(hex[i + 1]);
    if (high < 0 || low < 0) {
      return invalid_argument("'hex' holds other characters than 0-9 and a-f");
    }
    text += static_cast<char>(high * 16 + low);
  }
  if (hex.size() % 2 != 0) {
    return invalid_argument("'hex' has an odd number of digits");
  }
  return text;
}

Result<std::string> text_of_json(const Json& value, std::string_view field) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_object() && value.size() == 1 && value.contains("hex") && value["hex"].is_string()) {
    return text_of_hex(value["hex"].get<std::string>());
  }
  return invalid_argument("'{}' must be text", field);
}

Result<bool> flag_of_json(const Json& value, std::string_view field) {
  if (!value.is_boolean()) {
    return invalid_argument("'{}' must be true or false", field);
  }
  return value.get<bool>();
}

Result<uint64_t> number_of_json(const Json& value, std::string_view field) {
  if (!value.is_number_unsigned()) {
    return invalid_argument("'{}' must be a whole number, zero or more", field);
  }
  return value.get<uint64_t>();
}

Result<StoreOptions> options_of_json(const Json& value) {
  if (!value.is_object()) {
    return invalid_argument("'options' must be an object");
  }
  StoreOptions options;
  for (const auto& [name, option] : value.items()) {
    FOREBAY_ASSIGN_OR_RETURN(options[name], text_of_json(option, name));
  }
  return options;
}

Status take_field(const std::string& field, const Json& value, MountEntry& entry) {
  if (field == "path") {
    FOREBAY_ASSIGN_OR_RETURN(entry.path, text_of_json(value, field));
  } else if (field == "uri") {
    FOREBAY_ASSIGN_OR_RETURN(entry.uri, text_of_json(value, field));
  } else if (field == "options") {
    FOREBAY_ASSIGN_OR_RETURN(entry.options, options_of_json(value));
  } else if (field == "read_only") {
    FOREBAY_ASSIGN_OR_RETURN(entry.read_only, flag_of_json(value, field));
  } else if (field == "immutable") {
    FOREBAY_ASSIGN_OR_RETURN(entry.immutable, flag_of_json(value, field));
  } else if (field == "bytes_per_s") {
    FOREBAY_ASSIGN_OR_RETURN(entry.bytes_per_s, number_of_json(value, field));
  } else if (field == "requests_per_s") {
    FOREBAY_ASSIGN_OR_RETURN(entry.requests_per_s, number_of_json(value, field));
  } else {
    return invalid_argument("there is no field '{}'", field);
  }
  return ok_status();
}

Result<MountEntry> entry_of_json(const Json& json) {
  if (!json.is_object()) {
    return invalid_argument("a mount must be an object");
  }
  MountEntry entry;
  for (const auto& [field, value] : json.items()) {
    FOREBAY_RETURN_IF_ERROR(take_field(field, value, entry));
  }
  FOREBAY_RETURN_IF_ERROR(check_entry(entry));
  return entry;
}

Json json_of_entry(const MountEntry& entry) {
  Json json = {{"path", json_of_text(entry.path)}, {"uri", json_of_text(entry.uri)}};
  for (const auto& [name, value] : entry.options) {
    json["options"][name] = json_of_text(value);
  }
  if (entry.read_only) {
    json["read_only"] = true;
  }
  if (entry.immutable) {
    json["immutable"] = true;
  }
  if (entry.bytes_per_s > 0) {
    json["bytes_per_s"] = entry.bytes_per_s;
  }
  if (entry.requests_per_s > 0) {
    json["requests_per_s"] = entry.requests_per_s;
  }
  return json;
}

}  // namespace

Result<MountTable> parse_mounts(std::string_view text, std::string_view file) {
  if (text.size() > kMostMountFileBytes) {
    return invalid_argument("{}: {} bytes; a mount table has at most {}", file, text.size(),
                            kMostMountFileBytes);
  }
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.size() != 1 || !json.contains("mounts") || !json["mounts"].is_array()) {
    return data_loss("{}: not a mount table; it must read {{\"mounts\": [...]}}", file);
  }
  MountTable table;
  for (const Json& mount : json["mounts"]) {
    Result<MountEntry> entry = entry_of_json(mount);
    const Status added = entry.ok() ? table.add(*std::move(entry)) : entry.status();
    if (!added.ok()) {
      return annotate(added, fmt::format("{}: mount {}", file, table.entries().size() + 1));
    }
  }
  return table;
}

std::string format_mounts(const MountTable& table) {
  Json mounts = Json::array();
  for (const auto& [path, entry] : table.entries()) {
    mounts.push_back(json_of_entry(entry));
  }
  return Json{{"mounts", std::move(mounts)}}.dump(1) + "\n";
}

}  // namespace forebay::storage
