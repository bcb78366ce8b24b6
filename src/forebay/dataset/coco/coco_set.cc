#include "forebay/dataset/coco/coco_set.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "forebay/dataset/coco/preprocessed_set.h"
#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

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

void deal_objects(CocoSet& set) {
  set.objects.resize(set.annotations.images.size());
  std::unordered_multimap<int64_t, size_t> images;
  for (size_t i = 0; i < set.annotations.images.size(); ++i) {
    images.emplace(set.annotations.images[i].id, i);
  }
  for (size_t object = 0; object < set.annotations.objects.size(); ++object) {
    const auto [begin, end] = images.equal_range(set.annotations.objects[object].image_id);
    for (auto image = begin; image != end; ++image) {
      set.objects[image->second].push_back(object);
    }
  }
}

Result<CocoSet> parsed_set(const CocoSourceOptions& options) {
  CocoSet set;
  FOREBAY_ASSIGN_OR_RETURN(set.annotations, read_annotations(options));
  if (!options.avoid_class_remapping) {
    FOREBAY_RETURN_IF_ERROR(annotate(remap_categories(set.annotations), name_of_annotations(options)));
  }
  deal_objects(set);
  for (const size_t image : images_in_order(set.annotations, options)) {
    if (!options.skip_empty || !set.objects[image].empty()) {
      set.images.push_back(image);
    }
  }
  return set;
}

/// What would only be noticed when a sample is read.
Status check_images(const CocoSet& set, const CocoSourceOptions& options) {
  for (const size_t number : set.images) {
    const CocoImage& image = set.annotations.images[number];
    const bool fits =
        image.id >= std::numeric_limits<int32_t>::min() && image.id <= std::numeric_limits<int32_t>::max();
    if (options.image_ids && !fits) {
      return data_loss("the id {} of image {} is not an int32", image.id, image.name);
    }
    if ((options.ratio || options.pixelwise_masks) && (image.width == 0 || image.height == 0)) {
      return data_loss("image {} has no `width` or no `height`", image.name);
    }
    if (options.pixelwise_masks && image.height > kMaxMaskPixels / image.width) {
      return data_loss("image {} of {} x {} pixels is too large for a mask", image.name, image.width,
                       image.height);
    }
  }
  return ok_status();
}

}  // namespace

std::string name_of_annotations(const CocoSourceOptions& options) {
  return storage::uri_for_message(
      options.preprocessed_annotations.empty() ? options.annotations_file : options.preprocessed_annotations);
}

Result<CocoSet> read_coco_set(const CocoSourceOptions& options) {
  const std::string name = name_of_annotations(options);
  Result<CocoSet> set =
      options.preprocessed_annotations.empty() ? parsed_set(options) : read_preprocessed_set(options);
  FOREBAY_RETURN_IF_ERROR(set.status());
  FOREBAY_RETURN_IF_ERROR(annotate(check_images(*set, options), name));
  if (set->images.empty()) {
    return no_samples(name);
  }
  return set;
}

}  // namespace forebay::dataset
