// The index of WebDataset archives: which bytes fill which field of which sample.
#pragma once

#include <memory>
#include <vector>

#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/webdataset/webdataset_source.h"

namespace forebay::dataset {

/// Scans the archives, or reads their index files. `dtypes`: one a field. not_found when there is no sample;
/// other errors, and what becomes of a cut archive, as make_webdataset_source() says.
Result<std::shared_ptr<const SampleIndex>> index_archives(const WebdatasetOptions& options,
                                                          const std::vector<tensor::DType>& dtypes,
                                                          uint64_t parameters);

}  // namespace forebay::dataset
