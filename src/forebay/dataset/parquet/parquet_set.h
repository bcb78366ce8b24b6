// The files of a Parquet data set: which they are, what each has of the columns that are asked for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/shard_index.h"
#include "forebay/dataset/parquet/parquet_file.h"
#include "forebay/dataset/parquet/parquet_source.h"

namespace forebay::dataset {

/// A file, or why it cannot be read.
using ParquetFileResult = Result<std::shared_ptr<const ParquetFile>>;

/// The index, and the metadata of each of its objects.
struct ParquetSet {
  std::shared_ptr<const SampleIndex> index;  // a row's label is its number in its file
  std::vector<ParquetFileResult> files;      // by object id
  std::shared_ptr<const ParquetFile> first;  // of those with all columns
};

/// Opens or makes the index, and reads the metadata of all files that `options` name, several at a time;
/// folders are looked through. not_found if there are none, and the first file's error if none has all
/// columns. Files whose columns are of other types than those of the first one have that as their problem.
Result<ParquetSet> open_parquet_set(const ParquetOptions& options);

}  // namespace forebay::dataset
