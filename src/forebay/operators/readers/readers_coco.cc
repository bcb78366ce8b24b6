#include "forebay/dataset/coco/coco_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {
struct ReadersCoco : Reader<dataset::CocoSourceOptions, dataset::make_coco_source> {
  int num_outputs() const {
    return 3 + (has_polygons() ? 2 : 0) + (pixelwise_masks ? 1 : 0) + (image_ids ? 1 : 0) +
           (keypoints ? 1 : 0);
  }
};

OperatorSpec readers_coco() {
  using Op = ReadersCoco;
  return describe<Op>("readers.coco", "Reads pictures and their objects as COCO describes them.")
      .param("file_root", &Op::file_root, "Folder that the pictures' names start from.")
      .param("annotations_file", &Op::annotations_file, "The JSON file that describes the objects.")
      .param(
          "preprocessed_annotations", &Op::preprocessed_annotations,
          "Folder of annotations that `save_preprocessed_annotations` has saved, here or in DALI, instead of "
          "`annotations_file`. `images`, `ltrb`, `ratio`, `skip_empty`, `size_threshold`, `include_iscrowd` "
          "and "
          "`avoid_class_remapping` are what they were then. Masks and ids can be asked for if they could be "
          "then.")
      .old_name("meta_files_path", &Op::preprocessed_annotations)
      .param("save_preprocessed_annotations", &Op::save_preprocessed_annotations,
             "Whether to save what was made of the annotations, for `preprocessed_annotations`. DALI reads "
             "it, too.")
      .old_name("dump_meta_files", &Op::save_preprocessed_annotations)
      .param("save_preprocessed_annotations_dir", &Op::save_preprocessed_annotations_dir,
             "Folder to save it in.")
      .old_name("dump_meta_files_path", &Op::save_preprocessed_annotations_dir)
      .param("images", &Op::images,
             "Names of pictures, as the annotations have them, in the order to read them; some may be there "
             "several times. When not given all, by their ids.")
      .param("ltrb", &Op::ltrb, "Whether boxes are left, top, right, bottom; else left, top, width, height.")
      .param(
          "ratio", &Op::ratio,
          "Whether boxes, vertices and keypoints are parts of the picture's width and height; else pixels.")
      .param("skip_empty", &Op::skip_empty, "Leaves out pictures without objects.")
      .param("include_iscrowd", &Op::include_iscrowd, "Whether objects with `iscrowd` count.")
      .param("size_threshold", &Op::size_threshold,
             "Objects of a width or height below this, in pixels, do not count.")
      .param("avoid_class_remapping", &Op::avoid_class_remapping,
             "Whether labels are the ids of categories; else 1, 2, ... in their order in the annotations.")
      .param("polygon_masks", &Op::polygon_masks, "Adds the outputs polygons and vertices.")
      .param("masks", &Op::masks,
             "As `polygon_masks`, but polygons name their first and last coordinates, not vertices.")
      .param("pixelwise_masks", &Op::pixelwise_masks, "Adds the output of a mask of labels.")
      .param("image_ids", &Op::image_ids, "Adds the output of the picture's id.")
      .old_name("save_img_ids", &Op::image_ids)
      .param("keypoints", &Op::keypoints, "Adds the output of keypoints.")
      .group(add_reader_arguments<Op>)
      .outputs(
          "The picture's bytes, UINT8; its boxes, FLOAT, n x 4; their labels, INT32, n. Then, as asked for: "
          "polygons, INT32, p x 3 (the object, its first vertex, one past its last), and vertices, FLOAT, v "
          "x "
          "2; or a mask, INT32, HWC of one channel, painted as pycocotools does, the larger label on top; "
          "the "
          "picture's id, INT32; keypoints, FLOAT, n x k x 3 (x, y, visibility), 0 where an object has fewer "
          "than others.")
      .matches("DALI fn.readers.coco")
      .build();
}

}  // namespace forebay::operators
