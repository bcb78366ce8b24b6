#include "forebay/dataset/mds/mds_index.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxColumns = 4096;
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 40;

Result<std::string> text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    return data_loss("`{}` is not a text", key);
  }
  return found->get<std::string>();
}

Result<uint64_t> number_of(const Json& object, const char* key, uint64_t most) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned() || found->get<uint64_t>() > most) {
    return data_loss("`{}` is not a number from 0 to {}", key, most);
  }
  return found->get<uint64_t>();
}

Result<const Json*> list_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) {
    return data_loss("`{}` is not a list", key);
  }
  return &*found;
}

Result<MdsFile> file_of(const Json& object) {
  if (!object.is_object()) {
    return data_loss("a file's description is not an object");
  }
  MdsFile file;
  FOREBAY_ASSIGN_OR_RETURN(file.basename, text_of(object, "basename"));
  if (!storage::stays_below(file.basename)) {
    return data_loss("the file '{}' is outside of the index's folder", file.basename);
  }
  FOREBAY_ASSIGN_OR_RETURN(file.bytes, number_of(object, "bytes", kMaxFileBytes));
  const auto hashes = object.find("hashes");
  if (hashes == object.end() || hashes->is_null()) {
    return file;
  }
  if (!hashes->is_object()) {
    return data_loss("`hashes` is not an object");
  }
  for (const auto& [algorithm, digits] : hashes->items()) {
    if (!digits.is_string()) {
      return data_loss("the hash {} is not a text", algorithm);
    }
    file.hashes.emplace_back(algorithm, digits.get<std::string>());
  }
  return file;
}

Result<Compression> compression_of(const Json& shard) {
  const auto found = shard.find("compression");
  if (found == shard.end() || found->is_null()) {
    return Compression::kNone;
  }
  if (!found->is_string()) {
    return data_loss("`compression` is not a text");
  }
  const std::string text = found->get<std::string>();
  const std::string family = text.substr(0, text.find(':'));  // the level follows
  constexpr std::pair<std::string_view, Compression> kFamilies[] = {{"zstd", Compression::kZstd},
                                                                    {"gz", Compression::kGzip},
                                                                    {"br", Compression::kBrotli},
                                                                    {"snappy", Compression::kSnappy},
                                                                    {"bz2", Compression::kBzip2}};
  for (const auto& [name, compression] : kFamilies) {
    if (family == name) {
      return compression;
    }
  }
  return unimplemented("the compression '{}' is not known; zstd, gz, br, snappy and bz2 are", text);
}

Result<std::vector<MdsColumn>> columns_of(const Json& shard) {
  FOREBAY_ASSIGN_OR_RETURN(const Json* const names, list_of(shard, "column_names"));
  FOREBAY_ASSIGN_OR_RETURN(const Json* const encodings, list_of(shard, "column_encodings"));
  FOREBAY_ASSIGN_OR_RETURN(const Json* const sizes, list_of(shard, "column_sizes"));
  if (names->size() != encodings->size() || names->size() != sizes->size() || names->empty() ||
      names->size() > kMaxColumns) {
    return data_loss("{} column names, {} encodings and {} sizes; as many of each, 1 to {}, are needed",
                     names->size(), encodings->size(), sizes->size(), kMaxColumns);
  }
  std::vector<MdsColumn> columns;
  for (size_t i = 0; i < names->size(); ++i) {
    const Json& size = (*sizes)[i];
    if (!(*names)[i].is_string() || !(*encodings)[i].is_string() ||
        !(size.is_null() || size.is_number_unsigned())) {
      return data_loss("column {} has no name, no encoding, or a size that is no number", i);
    }
    MdsColumn column{(*names)[i].get<std::string>(), (*encodings)[i].get<std::string>(), std::nullopt};
    if (size.is_number_unsigned() && size.get<uint64_t>() != 0) {  // 0 means no fixed size
      column.bytes = size.get<uint64_t>();
      if (*column.bytes > std::numeric_limits<uint32_t>::max()) {
        return data_loss("column '{}' has values of {} bytes", column.name, *column.bytes);
      }
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

Status check_format(const Json& shard) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string format, text_of(shard, "format"));
  if (format != "mds") {
    return unimplemented("the format is '{}'; only mds is read", format);
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t version, number_of(shard, "version", 1000));
  if (version != 2) {
    return unimplemented("the format's version is {}; only 2 is read", version);
  }
  return ok_status();
}

Result<MdsShard> shard_of(const Json& object) {
  if (!object.is_object()) {
    return data_loss("it is not an object");
  }
  FOREBAY_RETURN_IF_ERROR(check_format(object));
  MdsShard shard;
  FOREBAY_ASSIGN_OR_RETURN(shard.columns, columns_of(object));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t samples,
                           number_of(object, "samples", std::numeric_limits<uint32_t>::max() / 4));
  shard.samples = static_cast<uint32_t>(samples);
  const auto raw = object.find("raw_data");
  if (raw == object.end()) {
    return data_loss("it has no `raw_data`");
  }
  FOREBAY_ASSIGN_OR_RETURN(shard.raw, file_of(*raw));
  const auto packed = object.find("zip_data");
  if (packed == object.end() || packed->is_null()) {
    return shard;
  }
  FOREBAY_ASSIGN_OR_RETURN(shard.packed, file_of(*packed));
  FOREBAY_ASSIGN_OR_RETURN(shard.compression, compression_of(object));
  if (shard.compression == Compression::kNone) {
    return data_loss("it has `zip_data`, but no `compression`");
  }
  return shard;
}

}  // namespace

Result<std::vector<MdsShard>> parse_mds_index(std::string_view text, std::string_view name) {
  const Json index = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!index.is_object() || !index.contains("shards") || !index["shards"].is_array()) {
    return data_loss("{}: not an index of MDS shards: a JSON object with a list `shards` is needed", name);
  }
  std::vector<MdsShard> shards;
  for (const Json& object : index["shards"]) {
    Result<MdsShard> shard = shard_of(object);
    if (!shard.ok()) {
      return annotate(shard.status(), fmt::format("{}: shard {}", name, shards.size()));
    }
    shards.push_back(*std::move(shard));
  }
  return shards;
}

}  // namespace forebay::dataset
