// COCO's annotations as they were made ready for reading, in a folder of lists that DALI's readers.coco reads
// and writes.
#pragma once

#include <string>

#include "forebay/dataset/coco/coco_set.h"
#include "forebay/dataset/coco/coco_source.h"
#include "forebay/dataset/coco/preprocessed_lists.h"

namespace forebay::dataset {

/// The data set that lists of these parts describe. data_loss naming the file and the offset where lists
/// contradict each other: the parts of samples must lie one behind the other, as those who write them put
/// them.
Result<CocoSet> set_of_lists(PreprocessedLists lists, const PreprocessedParts& parts,
                             const std::string& folder);

/// The lists that samples with these outputs need.
inline PreprocessedParts parts_of(const CocoSourceOptions& options) {
  return {.polygons = options.has_polygons() || options.pixelwise_masks,
          .masks = options.pixelwise_masks,
          .ids = options.image_ids};
}

/// The lists of a data set, its boxes and vertices as the options want them.
Result<PreprocessedLists> lists_of_set(const CocoSet& set, const CocoSourceOptions& options);

/// From options.preprocessed_annotations.
Result<CocoSet> read_preprocessed_set(const CocoSourceOptions& options);

/// What the options make of the data set's objects, to options.save_preprocessed_annotations_dir.
Status save_preprocessed_set(const CocoSet& set, const CocoSourceOptions& options);

}  // namespace forebay::dataset
