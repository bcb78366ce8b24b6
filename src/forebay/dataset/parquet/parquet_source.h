// Rows of Parquet files as samples.
//
// Fields: one for each column that is asked for, in that order. A number is a scalar of its type; text and
// bytes are uint8 [n]; a list is [n], with as many elements as the row has; lists of lists that are equally
// long have more axes. Times and dates are the integers that are stored.
//
// A sample reads, for each column, the page with its row if the file has a page index, else the column in the
// whole row group. Pieces that were decoded are kept for other rows as long as there is room.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

struct ParquetOptions : SourceOptions {
  /// Files, or folders of which all files *.parquet are read, by their names.
  std::vector<std::string> path;
  /// Columns by their names; a part of a structure as "structure.part". Empty: samples without fields, which
  /// is only useful for making the index.
  std::vector<std::string> columns;
  /// What stands for null in columns of numbers; null texts and lists are then empty. Otherwise null is a
  /// broken sample.
  std::optional<double> fill;
  /// What decoded pieces may take in memory together, those being decoded included.
  int64_t block_bytes = int64_t{1} << 30;
};

/// invalid_argument for options that contradict each other.
Status check(const ParquetOptions& options);

/// If no file can be read, or none has the columns, the reason of the first one is returned. Otherwise the
/// rows of a file without them are broken samples, and a file that cannot be read at all is one.
Result<std::shared_ptr<Source>> make_parquet_source(const ParquetOptions& options);

}  // namespace forebay::dataset
