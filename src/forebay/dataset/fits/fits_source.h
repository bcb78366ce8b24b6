// Images out of FITS files: of each file the units that are asked for.
//
// Fields: one for each of hdu_indices, in C order and this machine's byte order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/files/file_index.h"
#include "forebay/tensor/dtype.h"

namespace forebay::dataset {

/// In file_root, files of the folder itself come first, then those of its subfolders. A line of file_list is
/// a path.
struct FitsOptions : FileListing {
  std::string file_filter = "*.fits";
  std::vector<int64_t> hdu_indices = {2};  // the first unit is 1
  std::vector<tensor::DType> dtypes;       // what the fields must be; empty: what the files say
};

/// invalid_argument for options that contradict each other.
Status check(const FitsOptions& options);

Result<std::shared_ptr<Source>> make_fits_source(const FitsOptions& options);

}  // namespace forebay::dataset
