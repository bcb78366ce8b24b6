#include "forebay/dataset/parquet/parquet_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/dataset/index/mix_texts.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/parallel_calls.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr std::string_view kSuffix = ".parquet";

/// Names that tools keep beside data: "_metadata", ".crc" files.
bool is_hidden(std::string_view relative) {
  const size_t slash = relative.rfind('/');
  const std::string_view name = slash == relative.npos ? relative : relative.substr(slash + 1);
  return name.starts_with("_") || name.starts_with(".");
}

Result<std::vector<std::string>> files_of_folder(const std::string& path,
                                                 const storage::ObjectAddress& address) {
  const std::string folder = storage::as_folder_key(address.key);
  FOREBAY_ASSIGN_OR_RETURN(
      const storage::ListPage page,
      storage::list_all_now(*address.store, {.prefix = folder, .names_only = true}, opening()));
  std::vector<std::string> files;
  for (const storage::ObjectStat& object : page.objects) {
    const std::string relative = object.key.substr(folder.size());
    if (relative.ends_with(kSuffix) && !is_hidden(relative)) {
      files.push_back(storage::join_path(path, relative));
    }
  }
  if (files.empty()) {
    return no_samples(storage::uri_for_message(path), fmt::format("a folder without files *{}", kSuffix));
  }
  std::ranges::sort(files);
  return files;
}

/// What is wrong with a file itself, rather than with reaching it.
bool is_of_file(const Status& status) {
  switch (status.code()) {
    case StatusCode::kDataLoss:
    case StatusCode::kUnimplemented:
    case StatusCode::kNotFound:
    case StatusCode::kPermissionDenied:
    case StatusCode::kAborted:
      return true;
    default:
      return false;
  }
}

ShardRows rows_of_file(const ParquetFile& file) {
  ShardRows rows;
  rows.rows.reserve(file.rows());
  for (const ParquetGroup& group : file.groups()) {
    for (uint64_t i = 0; i < group.rows; ++i) {
      rows.rows.push_back({.object = 0,
                           .offset_bytes = group.offset_bytes,
                           .length_bytes = group.length_bytes,
                           .label = static_cast<int64_t>(group.first_row + i)});
    }
  }
  return rows;
}

/// Metadata that was read when the index was made, by path.
using LoadedFiles = std::unordered_map<std::string, ParquetFileResult>;

Result<std::shared_ptr<const SampleIndex>> build_parquet_index(const ParquetOptions& options,
                                                               const std::vector<std::string>& paths,
                                                               uint64_t parameters, LoadedFiles* loaded) {
  std::vector<ParquetFileResult> files(paths.size(), internal_error("not read"));
  const auto scan = [&](size_t which, const ObjectByteSource& file, const TakeRows&) -> Result<ShardRows> {
    files[which] = ParquetFile::load(file, options.columns);
    if (!files[which].ok()) {
      files[which] = annotate(files[which].status(), storage::uri_for_message(paths[which]));
    }
    const Status& status = files[which].status();
    if (status.code() == StatusCode::kDataLoss || status.code() == StatusCode::kUnimplemented) {
      return ShardRows{.lost_at = 0, .damage = status};
    }
    FOREBAY_RETURN_IF_ERROR(status);
    return rows_of_file(**files[which]);
  };
  FOREBAY_ASSIGN_OR_RETURN(
      std::shared_ptr<const SampleIndex> index,
      index_shards(options, paths, 1, parameters, {.parameters = hash64("parquet table 1")}, scan));
  for (size_t which = 0; which < paths.size(); ++which) {
    if (files[which].status().code() !=
        StatusCode::kInternal) {  // else its rows were kept, and it was not scanned
      loaded->emplace(paths[which], std::move(files[which]));
    }
  }
  return index;
}

ParquetFileResult load_file(const ParquetOptions& options, const IndexedObject& object) {
  const std::string path(object.name);
  if (!object.was_there()) {
    return not_found("{}: the file was missing when it was indexed", storage::uri_for_message(path));
  }
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(path));
  const storage::ObjectStat stat{address.key, object.size_bytes, object.modified_ns,
                                 std::string(object.version)};
  ParquetFileResult file = ParquetFile::load(ObjectByteSource(address, stat), options.columns);
  if (!file.ok()) {
    return annotate(file.status(), storage::uri_for_message(path));
  }
  return file;
}

/// How a column's values come: the same in all files.
std::string kind_of(const ParquetLeaf& leaf) {
  std::string kind(tensor::name_of(leaf.dtype));
  if (leaf.is_bytes()) {
    kind = leaf.width == 0 ? "bytes" : fmt::format("{} bytes", leaf.width);
  }
  for (int i = 0; i < leaf.max_repetition; ++i) {
    kind = "list of " + kind;
  }
  return kind;
}

/// Why a file does not go with the first one; OK if it does.
Status mismatch(const ParquetFile& file, const ParquetFile& first, const std::vector<std::string>& columns) {
  for (size_t column = 0; column < columns.size(); ++column) {
    const std::string kind = kind_of(file.leaf(column));
    const std::string expected = kind_of(first.leaf(column));
    if (kind != expected) {
      return data_loss("column '{}' is {}, and {} in the first file", columns[column], kind, expected);
    }
  }
  return ok_status();
}

void check_kinds(const ParquetOptions& options, const ParquetFile& first, ParquetSet* set) {
  for (uint32_t id = 0; id < set->files.size(); ++id) {
    ParquetFileResult& file = set->files[id];
    if (!file.ok()) {
      continue;
    }
    const Status status =
        (*file)->problem().ok() ? mismatch(**file, first, options.columns) : (*file)->problem();
    if (!status.ok()) {
      file = annotate(status, storage::uri_for_message(set->index->object(id).name));
    }
  }
}

Result<std::vector<std::string>> parquet_paths(const ParquetOptions& options) {
  std::vector<std::string> paths;
  for (const std::string& path : options.path) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(path));
    const bool is_file = path.ends_with(kSuffix);
    const Result<storage::Entry> entry =
        is_file ? storage::Entry{} : storage::find_entry(*address.store, address.key, opening());
    if (storage::is_unanswered(entry.status())) {
      return entry.status();
    }
    if (!entry.ok() || !entry->is_folder) {
      paths.push_back(path);
      continue;
    }
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> files, files_of_folder(path, address));
    paths.insert(paths.end(), files.begin(), files.end());
  }
  return paths;
}

Result<std::shared_ptr<const ParquetFile>> first_sound_file(const ParquetSet& set) {
  Status first_error;
  for (uint32_t id = 0; id < set.files.size(); ++id) {
    const ParquetFileResult& file = set.files[id];
    if (file.ok() && (*file)->problem().ok()) {
      return *file;
    }
    if (first_error.ok()) {
      const std::string name = storage::uri_for_message(set.index->object(id).name);
      first_error = file.ok() ? annotate((*file)->problem(), name) : file.status();
    }
  }
  return first_error;
}

}  // namespace

Result<ParquetSet> open_parquet_set(const ParquetOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> paths, parquet_paths(options));
  const uint64_t parameters = mix_texts(hash64("parquet_source 1"), paths);
  LoadedFiles loaded;
  ParquetSet set;
  FOREBAY_ASSIGN_OR_RETURN(set.index, open_or_build_index(options, {}, parameters, 1, [&] {
                             return build_parquet_index(options, paths, parameters, &loaded);
                           }));
  set.files.assign(set.index->num_objects(), internal_error("not read"));
  FOREBAY_RETURN_IF_ERROR(storage::run_parallel_calls(set.files.size(), [&](size_t id) {
    const IndexedObject object = set.index->object(static_cast<uint32_t>(id));
    const auto found = loaded.find(std::string(object.name));
    set.files[id] = found == loaded.end() ? load_file(options, object) : found->second;
    const Status& status = set.files[id].status();
    return is_of_file(status) ? ok_status() : status;
  }));
  FOREBAY_ASSIGN_OR_RETURN(set.first, first_sound_file(set));
  check_kinds(options, *set.first, &set);
  return set;
}

}  // namespace forebay::dataset
