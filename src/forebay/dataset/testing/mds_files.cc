#include "forebay/dataset/testing/mds_files.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "forebay/base/check.h"
#include "forebay/dataset/testing/packed_bytes.h"

namespace forebay::dataset::testing {
namespace {

using Json = nlohmann::json;

std::string word_text(uint64_t word) {
  const auto value = static_cast<uint32_t>(word);
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string digits_of_hash(const std::string& algorithm, const std::string& content) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  FOREBAY_CHECK(::EVP_Digest(content.data(), content.size(), digest, &size,
                             ::EVP_get_digestbyname(algorithm.c_str()), nullptr) == 1);
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest), size});
}

Json file_json(const std::string& basename, const std::string& content, const MdsWriterOptions& options) {
  Json hashes = Json::object();
  for (const std::string& algorithm : options.hashes) {
    hashes[algorithm] = digits_of_hash(algorithm, content);
  }
  return {{"basename", basename}, {"bytes", content.size()}, {"hashes", hashes}};
}

Json compression_json(Compression compression) {
  switch (compression) {
    case Compression::kZstd:
      return "zstd:3";
    case Compression::kGzip:
      return "gz";
    case Compression::kBrotli:
      return "br:5";
    case Compression::kSnappy:
      return "snappy";
    case Compression::kBzip2:
      return "bz2";
    default:
      return nullptr;
  }
}

}  // namespace

std::string mds_shard_of(const std::vector<MdsColumn>& columns, const MdsSamples& samples) {
  const std::string config = "{}";
  std::string bodies;
  std::string offsets;
  const uint64_t begin = 4 * (samples.size() + 2) + config.size();
  for (const std::vector<std::string>& values : samples) {
    offsets += word_text(begin + bodies.size());
    std::string body;
    for (size_t i = 0; i < columns.size(); ++i) {
      bodies += columns[i].bytes ? "" : word_text(values[i].size());
      body += values[i];
    }
    bodies += body;
  }
  offsets += word_text(begin + bodies.size());
  return word_text(samples.size()) + offsets + config + bodies;
}

MdsFiles mds_files_of(const std::vector<MdsColumn>& columns, const std::vector<MdsSamples>& shards,
                      const MdsWriterOptions& options) {
  MdsFiles files;
  Json list = Json::array();
  for (size_t which = 0; which < shards.size(); ++which) {
    const std::string raw = mds_shard_of(columns, shards[which]);
    const std::string name = fmt::format("shard.{:05}.mds", which);
    Json shard = {
        {"format", "mds"}, {"version", 2}, {"samples", shards[which].size()}, {"hashes", options.hashes}};
    for (const MdsColumn& column : columns) {
      shard["column_names"].push_back(column.name);
      shard["column_encodings"].push_back(column.encoding);
      shard["column_sizes"].push_back(column.bytes ? Json(*column.bytes) : Json(nullptr));
    }
    shard["raw_data"] = file_json(name, raw, options);
    shard["compression"] = compression_json(options.compression);
    shard["zip_data"] = nullptr;
    if (options.compression == Compression::kNone) {
      files[name] = raw;
    } else {
      const std::string packed = pack(options.compression, raw);
      shard["zip_data"] = file_json(name + ".packed", packed, options);
      files[name + ".packed"] = packed;
    }
    list.push_back(std::move(shard));
  }
  files["index.json"] = Json({{"version", 2}, {"shards", list}}).dump();
  return files;
}

}  // namespace forebay::dataset::testing
