// Samples that are the values of LMDB databases, in the order of their keys, database by database.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/parsed_source.h"

namespace forebay::dataset {

struct LmdbOptions : SourceOptions {
  /// Databases: their folders, in which data.mdb is, or the files themselves.
  std::vector<std::string> path;
};

/// What lies behind a damaged page counts as one sample whose read fails, and so does a database that is
/// missing, unreadable, or none. The index is the same whatever values are; `parse` makes `num_fields` fields
/// of one.
Result<std::shared_ptr<Source>> make_lmdb_source(const LmdbOptions& options, int num_fields,
                                                 ParseSample parse);

}  // namespace forebay::dataset
