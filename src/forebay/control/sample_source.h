// The data set in a folder, as the readers of a training job would open it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::control {

struct SampleSourceOptions {
  std::string path;  // of the folder, which `store` has as `prefix`
  std::shared_ptr<storage::ObjectStore> store;
  std::string prefix;
  std::string index_file;               // see dataset::SourceOptions
  std::vector<std::string> extensions;  // of the parts of a sample in a tar archive
};

/// A folder of .tar or .tfrecord files and nothing else is their samples, in the order of the names; any
/// other is its files, in folders of classes. invalid_argument for archives without extensions. Blocks.
Result<std::shared_ptr<const dataset::IndexedSource>> samples_in(const SampleSourceOptions& options);

}  // namespace forebay::control
