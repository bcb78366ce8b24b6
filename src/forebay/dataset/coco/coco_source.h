// Pictures with objects: files, and COCO's annotations of them. Which pictures there are, in which order, and
// what is said of their objects follows the rules of DALI's readers.coco.
//
// Fields: the file's bytes, uint8 [n]; boxes, float [objects, 4]; labels, int32 [objects]; then, as asked
// for: polygons, int32 [polygons, 3] (object, first vertex, one past the last), and vertices, float
// [vertices, 2]; or a mask of labels, int32 [height, width, 1]; the image's id, int32 [1]; keypoints, float
// [objects, most, 3].
//
// Masks are painted when a sample is read, on the thread that its bytes arrive on, and lie in the host pool.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

struct CocoSourceOptions : SourceOptions {
  std::string file_root;  // what the files' names start from
  std::string annotations_file;
  /// Names as the annotations have them, in the order to read them, some perhaps several times. Empty: all
  /// images by their ids. Names that the annotations do not have are left out.
  std::vector<std::string> images;

  bool ltrb = false;   // boxes are left, top, right, bottom; else left, top, width, height
  bool ratio = false;  // boxes, vertices and keypoints are parts of the image's width and height; else pixels
  bool skip_empty = false;
  bool include_iscrowd = true;
  float size_threshold = 0.1f;
  bool avoid_class_remapping = false;  // labels are the categories' ids; else 1, 2, ... in the file's order

  /// The folder of annotations that were preprocessed, by DALI or by this; instead of annotations_file, and
  /// of what was fixed when they were saved: which images, which of their objects, how boxes and vertices are
  /// written.
  std::string preprocessed_annotations;
  /// Whether to save them, in that folder.
  std::optional<bool> save_preprocessed_annotations;
  std::string save_preprocessed_annotations_dir;

  bool polygon_masks = false;
  /// As polygon_masks, but polygons name their coordinates, not their vertices: twice as many.
  bool masks = false;
  bool pixelwise_masks = false;
  bool image_ids = false;
  bool keypoints = false;

  bool has_polygons() const { return polygon_masks || masks; }
  bool saves_annotations() const { return save_preprocessed_annotations.value_or(false); }
};

/// invalid_argument for options that contradict each other, and without annotations.
Status check(const CocoSourceOptions& options);

/// data_loss naming the place for annotations that are broken; what check() says; not_found if there is no
/// image.
Result<std::shared_ptr<Source>> make_coco_source(const CocoSourceOptions& options);

}  // namespace forebay::dataset
