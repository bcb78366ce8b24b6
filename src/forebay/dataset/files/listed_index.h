// The index of files that a list names, a sample each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/files/file_list.h"
#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/index/sample_index.h"

namespace forebay::dataset {

/// A hash of the list, for the index that is made of it.
uint64_t parameters_of_list(const std::vector<ListedFile>& files);

/// Paths start from `root`. A file may be named several times. A missing file is only noticed when it is
/// read. Tells options.progress of the files that were looked for.
Result<std::shared_ptr<const SampleIndex>> index_listed_files(const std::vector<ListedFile>& files,
                                                              const std::string& root,
                                                              const SourceOptions& options);

}  // namespace forebay::dataset
