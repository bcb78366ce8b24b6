#include "forebay/storage/namespace/mount_file.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "forebay/storage/home/json_fields.h"

namespace forebay::storage {
namespace {

using Json = nlohmann::json;

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
  } else if (field == "snapshot") {
    FOREBAY_ASSIGN_OR_RETURN(entry.snapshot, text_of_json(value, field));
  } else if (field == "bytes_per_s") {
    FOREBAY_ASSIGN_OR_RETURN(entry.bytes_per_s, number_of_json(value, field));
  } else if (field == "requests_per_s") {
    FOREBAY_ASSIGN_OR_RETURN(entry.requests_per_s, number_of_json(value, field));
  } else if (field == "write_back_bytes") {
    FOREBAY_ASSIGN_OR_RETURN(entry.write_back_bytes, number_of_json(value, field));
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
  if (!entry.snapshot.empty()) {
    json["snapshot"] = json_of_text(entry.snapshot);
  }
  if (entry.bytes_per_s > 0) {
    json["bytes_per_s"] = entry.bytes_per_s;
  }
  if (entry.requests_per_s > 0) {
    json["requests_per_s"] = entry.requests_per_s;
  }
  if (entry.write_back_bytes > 0) {
    json["write_back_bytes"] = entry.write_back_bytes;
  }
  return json;
}

}  // namespace

Result<MountTable> parse_mounts(std::string_view text, std::string_view file) {
  if (text.size() > kMaxMountFileBytes) {
    return invalid_argument("{}: {} bytes; a mount table has at most {}", file, text.size(),
                            kMaxMountFileBytes);
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
