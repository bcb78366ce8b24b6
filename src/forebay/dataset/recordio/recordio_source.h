// Pictures and their labels from RecordIO files, as MXNet's im2rec writes them.
//
// Fields: {the picture's bytes, uint8 [n]; its labels, float [k], one where the record has no list of them}.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

struct RecordIoOptions : SourceOptions {
  std::vector<std::string> path;
  /// Index files, lines "key offset": one for all files, whose offsets go on from file to file, or as many as
  /// `path`. Empty: the files are scanned.
  std::vector<std::string> index_path;
};

/// invalid_argument for options that contradict each other.
Status check(const RecordIoOptions& options);

/// Records are in the order of their offsets. Everything behind a damaged record counts as one sample whose
/// read fails, and so does a file that is missing, unreadable, or no RecordIO.
Result<std::shared_ptr<Source>> make_recordio_source(const RecordIoOptions& options);

}  // namespace forebay::dataset
