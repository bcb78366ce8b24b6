// Indexes WebDataset archives: which bytes belong to which field of which sample.
#pragma once

#include <memory>
#include <vector>

#include "forebay/dataset/index/growing_index.h"
#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/webdataset/webdataset_source.h"

namespace forebay::dataset {

/// Scans the archives, or reads their index files. `dtypes`: one for each field. `row_parameters`: a hash of
/// everything that rows depend on besides their archive. not_found if there is no sample; invalid_argument
/// if a field is of no sample; for other errors
/// and for truncated archives see make_webdataset_source(). `growing`: see index_shards().
Result<std::shared_ptr<const SampleIndex>> index_archives(const WebdatasetOptions& options,
                                                          const std::vector<tensor::DType>& dtypes,
                                                          uint64_t parameters, uint64_t row_parameters,
                                                          GrowingIndex* growing = nullptr);

}  // namespace forebay::dataset
