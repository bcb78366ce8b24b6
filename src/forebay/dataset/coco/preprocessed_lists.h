// The files in which DALI's readers.coco saves what it has made of annotations. Each holds a list; numbers
// are little-endian, and an empty list may have no file.
//
//   list  = how many elements (4 bytes) | elements
//   masks = how many (4) | for each: height (8), width (8), how many runs (8) | their lengths (4 each)
//   names = a line each
//
//   offsets, counts                  int32, a sample: its objects in labels (int32) and boxes (float, 4 each)
//   polygon_offset, polygons_count   int64, a sample: its polygons in polygon_data (3 int32: the object, the
//                                    first vertex, one past the last, within the sample)
//   vertices_offset, vertices_count  int64, a sample: its vertices in vertices (2 float)
//   masks_offset, mask_count         int64, a sample: its masks of runs in masks_rles, and their objects in
//                                    masks_rles_idx (int32, within the sample)
//   heights, widths, original_ids    int32, a sample
//   filenames                        a sample
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

/// Masks as runs of 0 and 1 by turns, the runs of all one behind the other.
struct PreprocessedMasks {
  std::vector<int64_t> heights;
  std::vector<int64_t> widths;
  std::vector<size_t> run_ends;
  std::vector<uint32_t> runs;

  size_t size() const { return heights.size(); }
};

struct PreprocessedLists {
  std::vector<std::string> names;
  std::vector<int32_t> object_offsets;
  std::vector<int32_t> object_counts;
  std::vector<float> boxes;
  std::vector<int32_t> labels;

  std::vector<int32_t> polygons;
  std::vector<int64_t> polygon_offsets;
  std::vector<int64_t> polygon_counts;
  std::vector<float> vertices;
  std::vector<int64_t> vertex_offsets;
  std::vector<int64_t> vertex_counts;

  PreprocessedMasks masks;
  std::vector<int32_t> mask_objects;
  std::vector<int64_t> mask_offsets;
  std::vector<int64_t> mask_counts;
  std::vector<int32_t> heights;
  std::vector<int32_t> widths;

  std::vector<int32_t> ids;
};

/// Which lists there are besides those of boxes and labels.
struct PreprocessedParts {
  bool polygons = false;
  bool masks = false;  // with polygons
  bool ids = false;
};

/// Opens a file of the folder; not_found if it is not there.
using OpenList = std::function<Result<std::shared_ptr<const ByteSource>>(std::string_view file)>;
/// Writes a file of the folder.
using WriteList = std::function<Status(std::string_view file, Bytes content)>;
/// Removes a file of the folder, if it is there.
using RemoveList = std::function<Status(std::string_view file)>;

/// Reads the lists; `folder` names them in errors. data_loss naming the file and the offset where a file does
/// not hold what it announces, not_found for a list that is needed. What lists say of each other is
/// unchecked.
Result<PreprocessedLists> read_preprocessed_lists(const OpenList& open, const std::string& folder,
                                                  const PreprocessedParts& parts);

/// Writes them, empty ones too, and removes those of other parts, so that no list of another data set stays.
/// The names are removed before all others and written last: without them nothing is read, so that lists of
/// two data sets are never taken for one. invalid_argument, before anything is changed, for a name that
/// cannot be read again.
Status write_preprocessed_lists(const PreprocessedLists& lists, const PreprocessedParts& parts,
                                const WriteList& write, const RemoveList& remove);

}  // namespace forebay::dataset
