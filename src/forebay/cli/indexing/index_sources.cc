#include "forebay/cli/indexing/index_sources.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "forebay/dataset/caffe/caffe_source.h"
#include "forebay/dataset/compression/compressed_file.h"
#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/mds/mds_source.h"
#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/opening.h"
#include "forebay/dataset/parquet/parquet_source.h"
#include "forebay/dataset/recordio/recordio_source.h"
#include "forebay/dataset/tfrecord/tfrecord_source.h"
#include "forebay/dataset/webdataset/webdataset_source.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

using SourceResult = Result<std::shared_ptr<dataset::Source>>;

constexpr std::string_view kMdsIndex = "index.json";

/// The kind of data that all names end as.
std::optional<DataKind> kind_by_names(const std::vector<std::string>& names) {
  constexpr std::pair<std::string_view, DataKind> kEndings[] = {{".tar", DataKind::kTar},
                                                                {".tfrecord", DataKind::kTfrecord},
                                                                {".tfrecords", DataKind::kTfrecord},
                                                                {".tfrec", DataKind::kTfrecord},
                                                                {".rec", DataKind::kRecordIo},
                                                                {".parquet", DataKind::kParquet},
                                                                {"/index.json", DataKind::kMds},
                                                                {".json", DataKind::kCoco},
                                                                {".mdb", DataKind::kLmdb},
                                                                {".lmdb", DataKind::kLmdb}};
  for (const auto& [ending, kind] : kEndings) {
    if (std::ranges::all_of(names, [&](const std::string& name) { return name.ends_with(ending); })) {
      return kind;
    }
  }
  return std::nullopt;
}

template <class Options>
Options options_of(const IndexRequest& request) {
  Options source;
  source.index_file = request.out;
  source.progress = request.progress;
  return source;
}

Status check_no_indexes(const IndexRequest& request) {
  return request.from.empty()
             ? ok_status()
             : invalid_argument("--from goes with .tar, .tfrecord and .rec files, and annotations of COCO's");
}

SourceResult make_tar_source(const IndexRequest& request) {
  if (request.extensions.empty()) {
    return invalid_argument(
        "tar archives need --ext, once for each part of a sample: --ext 'jpg;png' --ext cls");
  }
  auto source = options_of<dataset::WebdatasetOptions>(request);
  source.paths = request.sources;
  source.index_paths = request.from;
  source.ext = request.extensions;
  return dataset::make_webdataset_source(source);
}

/// Of records that an index file may list.
template <class Options, class Make>
SourceResult make_record_source(const IndexRequest& request, const Make& make) {
  auto source = options_of<Options>(request);
  source.path = request.sources;
  source.index_path = request.from;
  return make(source);
}

/// Of what says itself where its samples are.
template <class Options, class Make>
SourceResult make_listed_source(const IndexRequest& request, std::vector<std::string> paths,
                                const Make& make) {
  FOREBAY_RETURN_IF_ERROR(check_no_indexes(request));
  auto source = options_of<Options>(request);
  source.path = std::move(paths);
  return make(source);
}

std::vector<std::string> folders_of_mds(const std::vector<std::string>& sources) {
  std::vector<std::string> folders;
  for (const std::string& source : sources) {
    const bool is_index = source.ends_with("/" + std::string(kMdsIndex));
    folders.push_back(is_index ? source.substr(0, source.size() - kMdsIndex.size() - 1) : source);
  }
  return folders;
}

/// Unlike a file that is not there, a store that does not answer is an error: what is in the folder is not
/// known then.
Result<bool> has_database(const storage::ObjectAddress& folder) {
  const std::string key = storage::join_path(folder.key, "data.mdb");
  const Status found = storage::stat_now(*folder.store, key, dataset::opening()).status();
  return storage::is_unanswered(found) ? Result<bool>(found) : found.ok();
}

/// A folder of files or of a database, or a list. A file of another kind than those that are told by their
/// names is a list of files, so invalid_argument if it is compressed.
SourceResult make_file_source(const IndexRequest& request) {
  FOREBAY_RETURN_IF_ERROR(check_no_indexes(request));
  if (request.sources.size() != 1) {
    return invalid_argument(
        "several sources must all be .tar, .tfrecord, .rec, .parquet or .mdb files, or all index.json of "
        "MDS; --kind says it where names do not");
  }
  const std::string& path = request.sources[0];
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, storage::default_registry().resolve(path));
  auto source = options_of<dataset::FileSourceOptions>(request);
  if (storage::default_registry().is_above_mounts(path)) {
    source.file_root = path;
    return dataset::make_file_source(source);
  }
  const Result<storage::Entry> entry = storage::find_entry(*address.store, address.key);
  FOREBAY_RETURN_IF_ERROR(annotate(entry.status(), storage::uri_for_message(path)));
  FOREBAY_ASSIGN_OR_RETURN(const bool is_database,
                           entry->is_folder && !request.kind ? has_database(address) : Result<bool>(false));
  if (is_database) {
    return make_listed_source<dataset::CaffeOptions>(request, request.sources, dataset::make_caffe_source);
  }
  if (!entry->is_folder) {
    const dataset::ObjectByteSource file(address, entry->stat);
    FOREBAY_RETURN_IF_ERROR(dataset::check_not_compressed(file, storage::uri_for_message(path)));
  }
  (entry->is_folder ? source.file_root : source.file_list) = path;
  return dataset::make_file_source(source);
}

Status set_coco_option(dataset::CocoSourceOptions& options, std::string_view setting) {
  const size_t equals = std::min(setting.find('='), setting.size());
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value = equals == setting.size() ? "true" : setting.substr(equals + 1);
  if (name == "size_threshold") {
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), options.size_threshold);
    if (error == std::errc() && end == value.data() + value.size()) {
      return ok_status();
    }
    return invalid_argument("--with {}: '{}' is no number", setting, value);
  }
  const std::pair<std::string_view, bool*> flags[] = {
      {"ltrb", &options.ltrb},
      {"ratio", &options.ratio},
      {"skip_empty", &options.skip_empty},
      {"include_iscrowd", &options.include_iscrowd},
      {"avoid_class_remapping", &options.avoid_class_remapping},
      {"polygon_masks", &options.polygon_masks},
      {"pixelwise_masks", &options.pixelwise_masks},
      {"image_ids", &options.image_ids}};
  for (const auto& [flag, target] : flags) {
    if (flag == name && (value == "true" || value == "false")) {
      *target = value == "true";
      return ok_status();
    }
  }
  return invalid_argument(
      "--with {}: not an argument of readers.coco that can be given here: ltrb, ratio, skip_empty, "
      "include_iscrowd=false, avoid_class_remapping, polygon_masks, pixelwise_masks, image_ids, "
      "size_threshold=NUMBER",
      setting);
}

SourceResult make_coco_index(const IndexRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(dataset::CocoSourceOptions source, coco_options_of(request));
  if (request.from.size() > 1) {
    return invalid_argument("--from names one folder of preprocessed annotations");
  }
  if (!request.from.empty()) {
    source.annotations_file.clear();
    source.preprocessed_annotations = request.from[0];
  }
  return dataset::make_coco_source(source);
}

}  // namespace

Result<dataset::CocoSourceOptions> coco_options_of(const IndexRequest& request) {
  if (request.sources.size() != 1) {
    return invalid_argument("COCO's annotations are one file");
  }
  auto source = options_of<dataset::CocoSourceOptions>(request);
  source.annotations_file = request.sources[0];
  source.file_root =
      request.root.empty() ? std::string(storage::parent_path(request.sources[0])) : request.root;
  for (const std::string& setting : request.with) {
    FOREBAY_RETURN_IF_ERROR(set_coco_option(source, setting));
  }
  return source;
}

SourceResult make_source_of(const IndexRequest& request) {
  const std::optional<DataKind> kind = request.kind ? request.kind : kind_by_names(request.sources);
  switch (kind.value_or(DataKind::kFiles)) {
    case DataKind::kTar:
      return make_tar_source(request);
    case DataKind::kTfrecord:
      return make_record_source<dataset::TfrecordOptions>(request, dataset::make_tfrecord_source);
    case DataKind::kRecordIo:
      return make_record_source<dataset::RecordIoOptions>(request, dataset::make_recordio_source);
    case DataKind::kParquet:
      return make_listed_source<dataset::ParquetOptions>(request, request.sources,
                                                         dataset::make_parquet_source);
    case DataKind::kMds:
      return make_listed_source<dataset::MdsOptions>(request, folders_of_mds(request.sources),
                                                     dataset::make_mds_source);
    case DataKind::kLmdb:
      return make_listed_source<dataset::CaffeOptions>(request, request.sources, dataset::make_caffe_source);
    case DataKind::kCoco:
      return make_coco_index(request);
    default:
      return make_file_source(request);
  }
}

}  // namespace forebay::cli
