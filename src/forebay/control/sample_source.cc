#include "forebay/control/sample_source.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "forebay/dataset/files/file_source.h"
#include "forebay/dataset/tfrecord/tfrecord_source.h"
#include "forebay/dataset/webdataset/webdataset_source.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::control {
namespace {

/// The names of the files that lie in the folder; nothing if one does not end with `suffix`, or if there are
/// folders.
Result<std::vector<std::string>> shards_of(const SampleSourceOptions& options, std::string_view suffix) {
  const std::unique_ptr<storage::ListStream> stream =
      options.store->open_list({.prefix = options.prefix, .delimiter = "/", .names_only = true});
  std::vector<std::string> names;
  for (bool is_last = false; !is_last;) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ListPage page, next_page_now(*stream, {}));
    for (const storage::ObjectStat& object : page.objects) {
      if (marks_folder(object)) {
        continue;
      }
      if (!object.key.ends_with(suffix)) {
        return std::vector<std::string>();
      }
      names.push_back(storage::join_path(options.path, object.key.substr(options.prefix.size())));
    }
    if (!page.prefixes.empty()) {
      return std::vector<std::string>();
    }
    is_last = page.is_last;
  }
  std::ranges::sort(names);
  return names;
}

Result<std::shared_ptr<dataset::Source>> open_source(const SampleSourceOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<std::string> archives, shards_of(options, ".tar"));
  if (!archives.empty()) {
    if (options.extensions.empty()) {
      return invalid_argument(
          "{}: tar archives need the extensions of each part of a sample, as in --ext 'jpg;png' --ext cls",
          storage::uri_for_message(options.path));
    }
    dataset::WebdatasetOptions source;
    source.paths = std::move(archives);
    source.ext = options.extensions;
    source.index_file = options.index_file;
    return dataset::make_webdataset_source(source);
  }
  FOREBAY_ASSIGN_OR_RETURN(std::vector<std::string> records, shards_of(options, ".tfrecord"));
  if (!records.empty()) {
    dataset::TfrecordOptions source;
    source.path = std::move(records);
    source.index_file = options.index_file;
    return dataset::make_tfrecord_source(source);
  }
  dataset::FileSourceOptions source;
  source.file_root = options.path;
  source.index_file = options.index_file;
  return dataset::make_file_source(source);
}

}  // namespace

Result<std::shared_ptr<const dataset::IndexedSource>> samples_in(const SampleSourceOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<dataset::Source> source, open_source(options));
  auto samples = std::dynamic_pointer_cast<const dataset::IndexedSource>(source);
  if (!samples) {
    return unimplemented("{}: a data set without an index has no order to follow",
                         storage::uri_for_message(options.path));
  }
  return samples;
}

}  // namespace forebay::control
