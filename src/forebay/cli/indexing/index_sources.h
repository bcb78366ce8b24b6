// Which data set `forebay index` is given, and its source, whose making makes the index.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/dataset/coco/coco_source.h"
#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/source.h"

namespace forebay::cli {

enum class DataKind { kFiles, kTar, kTfrecord, kRecordIo, kParquet, kMds, kCoco, kLmdb };

struct IndexRequest {
  std::vector<std::string> sources;
  std::string out;
  std::optional<DataKind> kind;  // nothing: as the names tell
  std::vector<std::string> extensions;
  std::vector<std::string> from;
  std::string root;
  std::vector<std::string> with;
  std::function<void(const dataset::IndexProgress&)> progress;
};

/// Makes the index. invalid_argument for what does not go with this kind of data.
Result<std::shared_ptr<dataset::Source>> make_source_of(const IndexRequest& request);

/// The options of readers.coco that `with` names: "ltrb", "size_threshold=2".
Result<dataset::CocoSourceOptions> coco_options_of(const IndexRequest& request);

}  // namespace forebay::cli
