#include "forebay/dataset/coco/coco_source.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "forebay/dataset/coco/coco_annotations.h"
#include "forebay/dataset/coco/coco_fields.h"
#include "forebay/dataset/files/listed_index.h"
#include "forebay/dataset/files/whole_file_source.h"
#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"

namespace forebay::dataset {
namespace {

/// Which image each sample is of, and the objects of each image.
struct CocoSamples {
  std::vector<size_t> images;                // by sample
  std::vector<std::vector<size_t>> objects;  // by image
};

class CocoSource final : public WholeFileSource {
 public:
  CocoSource(std::shared_ptr<const SampleIndex> index, const CocoSourceOptions& options,
             CocoAnnotations annotations, CocoSamples samples)
      : WholeFileSource(std::move(index), options.file_root, options),
        annotations_(std::move(annotations)),
        samples_(std::move(samples)),
        fields_(annotations_, options) {}

  int num_fields() const override { return 1 + fields_.count(); }

 private:
  Status add_fields(int64_t index, const SampleRow&, std::vector<tensor::Tensor>* fields) const override {
    const size_t image = samples_.images[static_cast<size_t>(index)];
    return fields_.add(annotations_.images[image], samples_.objects[image], fields);
  }

  const CocoAnnotations annotations_;
  const CocoSamples samples_;
  const CocoFields fields_;
};

Result<CocoAnnotations> read_annotations(const CocoSourceOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address,
                           registry_of(options).resolve(options.annotations_file));
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectStat stat,
                           storage::stat_now(*address.store, address.key, opening()));
  CocoWants wants;
  wants.polygons = options.has_polygons() || options.pixelwise_masks;
  wants.runs = options.pixelwise_masks;
  wants.keypoints = options.keypoints;
  wants.crowds = options.include_iscrowd;
  wants.size_threshold = options.size_threshold;
  return parse_coco(ObjectByteSource(address, stat), storage::uri_for_message(options.annotations_file),
                    wants);
}

/// Labels instead of the categories' ids.
Status remap_categories(CocoAnnotations& annotations) {
  std::unordered_map<int32_t, int32_t> labels;
  for (size_t i = 0; i < annotations.categories.size(); ++i) {
    labels.try_emplace(annotations.categories[i], static_cast<int32_t>(i + 1));
  }
  for (CocoObject& object : annotations.objects) {
    const auto label = labels.find(object.category);
    if (label == labels.end()) {
      return data_loss("an object of image {} has category {}, which `categories` does not have",
                       object.image_id, object.category);
    }
    object.category = label->second;
  }
  return ok_status();
}

/// The images in the order in which they are read.
std::vector<size_t> images_in_order(const CocoAnnotations& annotations, const CocoSourceOptions& options) {
  std::vector<size_t> images;
  if (options.images.empty()) {
    images.resize(annotations.images.size());
    std::iota(images.begin(), images.end(), size_t{0});
    std::ranges::stable_sort(images, {}, [&](size_t i) { return annotations.images[i].id; });
    return images;
  }
  std::unordered_map<std::string_view, size_t> by_name;
  for (size_t i = 0; i < annotations.images.size(); ++i) {
    by_name[annotations.images[i].name] = i;
  }
  for (const std::string& name : options.images) {
    if (const auto found = by_name.find(name); found != by_name.end()) {
      images.push_back(found->second);
    }
  }
  return images;
}

CocoSamples samples_of(const CocoAnnotations& annotations, const CocoSourceOptions& options) {
  CocoSamples samples;
  samples.objects.resize(annotations.images.size());
  std::unordered_multimap<int64_t, size_t> images;
  for (size_t i = 0; i < annotations.images.size(); ++i) {
    images.emplace(annotations.images[i].id, i);
  }
  for (size_t object = 0; object < annotations.objects.size(); ++object) {
    const auto [begin, end] = images.equal_range(annotations.objects[object].image_id);
    for (auto image = begin; image != end; ++image) {
      samples.objects[image->second].push_back(object);
    }
  }
  for (const size_t image : images_in_order(annotations, options)) {
    if (!options.skip_empty || !samples.objects[image].empty()) {
      samples.images.push_back(image);
    }
  }
  return samples;
}

/// What would only be noticed when a sample is read.
Status check_images(const CocoAnnotations& annotations, const CocoSamples& samples,
                    const CocoSourceOptions& options) {
  for (const size_t number : samples.images) {
    const CocoImage& image = annotations.images[number];
    const bool fits =
        image.id >= std::numeric_limits<int32_t>::min() && image.id <= std::numeric_limits<int32_t>::max();
    if (options.image_ids && !fits) {
      return data_loss("the id {} of image {} is not an int32", image.id, image.name);
    }
    if ((options.ratio || options.pixelwise_masks) && (image.width == 0 || image.height == 0)) {
      return data_loss("image {} has no `width` or no `height`", image.name);
    }
    if (options.pixelwise_masks && image.height > kMostMaskPixels / image.width) {
      return data_loss("image {} of {} x {} pixels is too large for a mask", image.name, image.width,
                       image.height);
    }
  }
  return ok_status();
}

}  // namespace

Status check(const CocoSourceOptions& options) {
  if (options.annotations_file.empty()) {
    return invalid_argument("`annotations_file` is needed");
  }
  if (options.has_polygons() && options.pixelwise_masks) {
    return invalid_argument("`polygon_masks` and `pixelwise_masks` cannot be given together");
  }
  return ok_status();
}

Result<std::shared_ptr<Source>> make_coco_source(const CocoSourceOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  const std::string name = storage::uri_for_message(options.annotations_file);
  FOREBAY_ASSIGN_OR_RETURN(CocoAnnotations annotations, read_annotations(options));
  if (!options.avoid_class_remapping) {
    FOREBAY_RETURN_IF_ERROR(annotate(remap_categories(annotations), name));
  }
  CocoSamples samples = samples_of(annotations, options);
  FOREBAY_RETURN_IF_ERROR(annotate(check_images(annotations, samples, options), name));
  std::vector<ListedFile> files;
  for (const size_t image : samples.images) {
    files.push_back({annotations.images[image].name, static_cast<int32_t>(files.size())});
  }
  if (files.empty()) {
    return not_found("{}: no images found", name);
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index,
                           open_or_build_index(options, options.file_root, parameters_of_list(files), 1, [&] {
                             return index_listed_files(files, options.file_root, options);
                           }));
  return std::make_shared<CocoSource>(std::move(index), options, std::move(annotations), std::move(samples));
}

}  // namespace forebay::dataset
