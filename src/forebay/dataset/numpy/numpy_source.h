// Arrays in .npy files, one a sample, whole or a region of each. Which files, in which order, follows the
// rules of DALI's readers.numpy. A region is read by the ranges that it needs; that takes the file's header,
// which is read before, once. A file is read into the memory that its tensor keeps, not mapped: pages of a
// file that is cut off later would end the process of whoever looks at them (docs/performance/pipeline.md).
//
// Fields: {the array, in C order}.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "forebay/dataset/files/file_index.h"
#include "forebay/dataset/numpy/npy_region.h"

namespace forebay::dataset {

/// In file_root, files of the folder itself come first, then those of its subfolders. A line of file_list is
/// a path.
struct NumpyOptions : FileListing {
  std::string file_filter = "*.npy";  // a glob pattern for files of file_root
  /// The region of an array of this shape, of its rank; null: all of it.
  std::function<Result<ArrayRegion>(const tensor::Shape& shape)> region;
  float fill_value = 0;  // for what of a region is outside
};

/// invalid_argument for options that contradict each other.
Status check(const NumpyOptions& options);

/// Errors of one file are those of its sample: not_found and the like, data_loss for a broken one,
/// unimplemented for elements that no tensor holds, and what `region` returns.
Result<std::shared_ptr<Source>> make_numpy_source(const NumpyOptions& options);

}  // namespace forebay::dataset
