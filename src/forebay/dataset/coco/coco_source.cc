#include "forebay/dataset/coco/coco_source.h"

#include <initializer_list>
#include <utility>

#include "forebay/dataset/coco/coco_fields.h"
#include "forebay/dataset/coco/coco_set.h"
#include "forebay/dataset/coco/preprocessed_set.h"
#include "forebay/dataset/files/listed_index.h"
#include "forebay/dataset/files/whole_file_source.h"

namespace forebay::dataset {
namespace {

class CocoSource final : public WholeFileSource {
 public:
  CocoSource(std::shared_ptr<const SampleIndex> index, const CocoSourceOptions& options, CocoSet set)
      : WholeFileSource(std::move(index), options.file_root, options),
        set_(std::move(set)),
        fields_(set_.annotations, options) {}

  int num_fields() const override { return 1 + fields_.count(); }

 private:
  Status add_fields(int64_t index, const SampleRow&, std::vector<tensor::Tensor>* fields) const override {
    const size_t image = set_.images[static_cast<size_t>(index)];
    return fields_.add(set_.annotations.images[image], set_.objects[image], fields);
  }

  const CocoSet set_;
  const CocoFields fields_;
};

/// What is as it was when the annotations were saved.
Status check_preprocessed(const CocoSourceOptions& options) {
  const std::initializer_list<std::pair<const char*, bool>> fixed{
      {"annotations_file", !options.annotations_file.empty()},
      {"images", !options.images.empty()},
      {"ltrb", options.ltrb},
      {"ratio", options.ratio},
      {"skip_empty", options.skip_empty},
      {"size_threshold", options.size_threshold != CocoSourceOptions{}.size_threshold},
      {"keypoints", options.keypoints},
      {"save_preprocessed_annotations", options.saves_annotations()}};
  for (const auto& [name, is_given] : fixed) {
    if (is_given) {
      return invalid_argument(
          "`{}` cannot be given with `preprocessed_annotations`, which hold objects as they were saved",
          name);
    }
  }
  return ok_status();
}

Status check_saving(const CocoSourceOptions& options) {
  const bool has_folder = !options.save_preprocessed_annotations_dir.empty();
  if (options.save_preprocessed_annotations.has_value() ? options.saves_annotations() && !has_folder
                                                        : has_folder) {
    return invalid_argument(
        "`save_preprocessed_annotations` and `save_preprocessed_annotations_dir` belong together");
  }
  if (!options.saves_annotations()) {
    return ok_status();
  }
  if (options.keypoints) {
    return invalid_argument("preprocessed annotations hold no `keypoints`; save them without");
  }
  if (options.ratio && options.pixelwise_masks) {
    return invalid_argument(
        "preprocessed annotations of `ratio` hold no vertices in pixels, so that no `pixelwise_masks` can be "
        "painted of them; save them with one of the two");
  }
  return ok_status();
}

}  // namespace

Status check(const CocoSourceOptions& options) {
  if (options.has_polygons() && options.pixelwise_masks) {
    return invalid_argument("`polygon_masks` and `pixelwise_masks` cannot be given together");
  }
  if (!options.preprocessed_annotations.empty()) {
    return check_preprocessed(options);
  }
  if (options.annotations_file.empty()) {
    return invalid_argument("`annotations_file` or `preprocessed_annotations` is needed");
  }
  return check_saving(options);
}

Result<std::shared_ptr<Source>> make_coco_source(const CocoSourceOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  FOREBAY_ASSIGN_OR_RETURN(CocoSet set, read_coco_set(options));
  std::vector<ListedFile> files;
  for (const size_t image : set.images) {
    files.push_back({set.annotations.images[image].name, static_cast<int32_t>(files.size())});
  }
  if (options.saves_annotations()) {
    FOREBAY_RETURN_IF_ERROR(save_preprocessed_set(set, options));
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index,
                           open_or_build_index(options, options.file_root, parameters_of_list(files), 1, [&] {
                             return index_listed_files(files, options.file_root, options);
                           }));
  return std::make_shared<CocoSource>(std::move(index), options, std::move(set));
}

}  // namespace forebay::dataset
