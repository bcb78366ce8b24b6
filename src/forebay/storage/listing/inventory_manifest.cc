#include "forebay/storage/listing/inventory_manifest.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "forebay/storage/blocking.h"
#include "forebay/storage/home/json_fields.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxManifestBytes = 64 << 20;
constexpr char kManifestName[] = "manifest.json";

std::string_view without_spaces(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// The column of a name; null for one that no snapshot needs.
size_t* column_of(InventoryColumns& columns, std::string_view name) {
  const std::pair<std::string_view, size_t*> known[] = {{"Bucket", &columns.bucket},
                                                        {"Key", &columns.key},
                                                        {"Size", &columns.size},
                                                        {"LastModifiedDate", &columns.modified},
                                                        {"ETag", &columns.etag},
                                                        {"IsLatest", &columns.is_latest},
                                                        {"IsDeleteMarker", &columns.is_delete_marker}};
  for (const auto& [known_name, column] : known) {
    if (known_name == name) {
      return column;
    }
  }
  return nullptr;
}

/// Of a schema such as "Bucket, Key, Size".
Result<InventoryColumns> columns_of(std::string_view schema) {
  constexpr size_t kNone = InventoryColumns::kNoColumn;
  InventoryColumns columns = {kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  size_t number = 0;
  for (bool is_last = false; !is_last; ++number) {
    const size_t comma = schema.find(',');
    is_last = comma == std::string_view::npos;
    if (size_t* const column = column_of(columns, without_spaces(schema.substr(0, comma)))) {
      *column = number;
    }
    schema.remove_prefix(is_last ? schema.size() : comma + 1);
  }
  if (columns.bucket == kNone || columns.key == kNone) {
    return invalid_argument("its fileSchema has no Bucket and Key");
  }
  return columns;
}

Result<std::string> text_field(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) {
    return invalid_argument("{} is missing", name);
  }
  return text_of_json(*found, name);
}

/// One of the places where a file of a manifest may be.
Result<ObjectAddress> find_data_file(const ObjectAddress& manifest, const std::string& key,
                                     const CallContext& context) {
  const std::string_view folder = std::string_view(manifest.key).substr(0, manifest.key.rfind('/') + 1);
  const std::string_view within = folder.substr(0, folder.size() - (folder.empty() ? 0 : 1));
  const std::string_view above = within.substr(0, within.rfind('/') + 1);
  const std::string name(base_name(key));
  Status first;
  for (const std::string& place :
       {fmt::format("{}data/{}", above, name), fmt::format("{}data/{}", folder, name),
        fmt::format("{}{}", folder, name)}) {
    const Status found = stat_now(*manifest.store, place, context).status();
    if (found.ok()) {
      return ObjectAddress{manifest.store, place};
    }
    if (found.code() != StatusCode::kNotFound) {
      return found;
    }
    first = first.ok() ? found : first;
  }
  return annotate(first, "a file that the manifest lists is not in the folder data beside the manifest's");
}

Result<InventoryManifest> read_manifest(const ObjectAddress& file, const CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const ObjectStat stat, stat_now(*file.store, file.key, context));
  if (stat.size_bytes > kMaxManifestBytes) {
    return resource_exhausted("a manifest of {} bytes; the most are {}", stat.size_bytes, kMaxManifestBytes);
  }
  FOREBAY_ASSIGN_OR_RETURN(const ReadBytes read,
                           read_now(*file.store, {.key = file.key, .if_version = stat.version}, context));
  return parse_inventory_manifest({reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size()});
}

Result<Inventory> open_manifest(const ObjectAddress& file, const CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const InventoryManifest manifest, read_manifest(file, context));
  Inventory inventory = {.columns = manifest.columns};
  for (const std::string& key : manifest.files) {
    FOREBAY_ASSIGN_OR_RETURN(ObjectAddress data, find_data_file(file, key, context));
    inventory.files.push_back(std::move(data));
  }
  return inventory;
}

}  // namespace

Result<InventoryManifest> parse_inventory_manifest(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return invalid_argument("no object of JSON");
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string format, text_field(json, "fileFormat"));
  if (format != "CSV") {
    return unimplemented("the inventory is in {}; have it written as CSV", format);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string schema, text_field(json, "fileSchema"));
  InventoryManifest manifest;
  FOREBAY_ASSIGN_OR_RETURN(manifest.columns, columns_of(schema));
  const auto files = json.find("files");
  if (files == json.end() || !files->is_array()) {
    return invalid_argument("files is no list");
  }
  for (const Json& file : *files) {
    if (!file.is_object()) {
      return invalid_argument("one of files is no object of JSON");
    }
    FOREBAY_ASSIGN_OR_RETURN(std::string key, text_field(file, "key"));
    manifest.files.push_back(std::move(key));
  }
  return manifest;
}

Result<Inventory> open_inventory(const ObjectAddress& file, const CallContext& context) {
  if (base_name(file.key) != kManifestName) {
    return Inventory{.files = {file}};
  }
  Result<Inventory> inventory = open_manifest(file, context);
  if (!inventory.ok()) {
    return annotate(inventory.status(), file.uri());
  }
  return inventory;
}

}  // namespace forebay::storage
