#include "forebay/dataset/lmdb/lmdb_source.h"

#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/dataset/index/shard_index.h"
#include "forebay/dataset/lmdb/lmdb_index.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

Result<bool> is_there(const LmdbOptions& options, const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(path));
  const Status found = storage::stat_now(*address.store, address.key, opening()).status();
  return storage::is_unanswered(found) ? Result<bool>(found) : found.ok();
}

/// The database's file: the data.mdb in the path, or the path itself. Where neither is there it is the one
/// that is meant as far as the name tells, for the error of who reads it.
Result<std::string> lmdb_file_of(const LmdbOptions& options, const std::string& path) {
  std::string inside = storage::join_path(path, "data.mdb");
  FOREBAY_ASSIGN_OR_RETURN(const bool is_inside, is_there(options, inside));
  if (is_inside || path.ends_with(".mdb")) {
    return is_inside ? inside : path;
  }
  FOREBAY_ASSIGN_OR_RETURN(const bool is_itself, is_there(options, path));
  return is_itself ? path : inside;
}

Result<ShardRows> rows_of_database(const ByteSource& file, const std::string& name, const TakeRows& take) {
  std::vector<SampleRow> rows;
  const auto add = [&](std::span<const LmdbValue> values) {
    const size_t before = rows.size();
    for (const LmdbValue& value : values) {
      SampleRow row;
      row.object = 0;
      row.offset_bytes = value.offset_bytes;
      row.length_bytes = value.size_bytes;
      rows.push_back(row);
    }
    take(std::span<const SampleRow>(rows).subspan(before));
  };
  FOREBAY_ASSIGN_OR_RETURN(const LmdbScan found, scan_lmdb(file, name, add));
  return ShardRows{.rows = std::move(rows), .lost_at = found.damaged_at, .damage = found.damage};
}

}  // namespace

Result<std::shared_ptr<Source>> make_lmdb_source(const LmdbOptions& options, int num_fields,
                                                 ParseSample parse) {
  if (options.path.empty()) {
    return invalid_argument("`path` may not be empty");
  }
  std::vector<std::string> files;
  uint64_t parameters = hash64("lmdb_source 2");
  for (const std::string& path : options.path) {
    FOREBAY_ASSIGN_OR_RETURN(std::string file, lmdb_file_of(options, path));
    parameters = mix64(parameters, hash64(file));
    files.push_back(std::move(file));
  }
  const auto scan = [&files](size_t which, const ObjectByteSource& file, const TakeRows& take) {
    return rows_of_database(file, files[which], take);
  };
  ParsedSourceParts parts;
  FOREBAY_ASSIGN_OR_RETURN(parts.index, open_or_build_index(options, {}, parameters, 1, [&] {
                             return index_shards(options, files, 1, parameters,
                                                 {.parameters = hash64("lmdb table 1")}, scan);
                           }));
  parts.num_fields = num_fields;
  parts.parse = std::move(parse);
  return make_parsed_source(std::move(parts), options);
}

}  // namespace forebay::dataset
