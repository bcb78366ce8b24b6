// A data set of COCO's kind, before any picture is looked for: annotations, which images are read, in which
// order, and which objects each has.
#pragma once

#include <string>
#include <vector>

#include "forebay/dataset/coco/coco_annotations.h"
#include "forebay/dataset/coco/coco_source.h"

namespace forebay::dataset {

struct CocoSet {
  CocoAnnotations annotations;
  std::vector<size_t> images;                // by sample: of annotations.images
  std::vector<std::vector<size_t>> objects;  // by image: of annotations.objects
};

/// Reads the annotations, or what was made of them before. Errors name the file; not_found if there is no
/// image.
Result<CocoSet> read_coco_set(const CocoSourceOptions& options);

/// What the options call the data set's annotations, for messages.
std::string name_of_annotations(const CocoSourceOptions& options);

}  // namespace forebay::dataset
