// What samples give, put into the lists of preprocessed annotations.
#include "forebay/dataset/coco/preprocessed_set.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/dataset/coco/coco_fields.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr size_t kNumbersOfPolygon = 3;

template <class T>
void append_to(std::vector<T>& list, const tensor::Tensor& tensor) {
  const auto numbers = tensor.view().template span<T>();
  list.insert(list.end(), numbers.begin(), numbers.end());
}

/// Lists are what samples give, without a mask that is painted.
class ListsBuilder {
 public:
  ListsBuilder(const CocoSet& set, const CocoSourceOptions& options)
      : set_(set), parts_(parts_of(options)), fields_(set.annotations, saved_fields(options)) {}

  Result<PreprocessedLists> build() {
    for (const size_t image : set_.images) {
      FOREBAY_RETURN_IF_ERROR(add(set_.annotations.images[image], set_.objects[image]));
    }
    return std::move(lists_);
  }

 private:
  static CocoSourceOptions saved_fields(CocoSourceOptions options) {
    options.polygon_masks = parts_of(options).polygons;
    options.masks = false;
    options.pixelwise_masks = false;
    options.keypoints = false;
    return options;
  }

  Status add(const CocoImage& image, const std::vector<size_t>& objects) {
    std::vector<tensor::Tensor> fields;
    FOREBAY_RETURN_IF_ERROR(fields_.add(image, objects, &fields));
    if (objects.size() > std::numeric_limits<int32_t>::max() - lists_.labels.size()) {
      return resource_exhausted("there are more than {} objects", std::numeric_limits<int32_t>::max());
    }
    lists_.names.push_back(image.name);
    lists_.object_offsets.push_back(static_cast<int32_t>(lists_.labels.size()));
    lists_.object_counts.push_back(static_cast<int32_t>(objects.size()));
    append_to(lists_.boxes, fields[0]);
    append_to(lists_.labels, fields[1]);
    if (parts_.polygons) {
      lists_.polygon_offsets.push_back(static_cast<int64_t>(lists_.polygons.size() / kNumbersOfPolygon));
      lists_.polygon_counts.push_back(fields[2].shape()[0]);
      lists_.vertex_offsets.push_back(static_cast<int64_t>(lists_.vertices.size() / 2));
      lists_.vertex_counts.push_back(fields[3].shape()[0]);
      append_to(lists_.polygons, fields[2]);
      append_to(lists_.vertices, fields[3]);
    }
    if (parts_.masks) {
      add_masks(image, objects);
    }
    if (parts_.ids) {
      lists_.ids.push_back(static_cast<int32_t>(image.id));
    }
    return ok_status();
  }

  void add_masks(const CocoImage& image, const std::vector<size_t>& objects) {
    const size_t before = lists_.masks.size();
    PreprocessedMasks& masks = lists_.masks;
    for (size_t place = 0; place < objects.size(); ++place) {
      const CocoObject& object = set_.annotations.objects[objects[place]];
      if (object.runs.size() == 0) {
        continue;
      }
      const auto runs = set_.annotations.runs.begin();
      masks.heights.push_back(object.mask_height);
      masks.widths.push_back(object.mask_width);
      masks.runs.insert(masks.runs.end(), runs + static_cast<ptrdiff_t>(object.runs.begin),
                        runs + static_cast<ptrdiff_t>(object.runs.end));
      masks.run_ends.push_back(masks.runs.size());
      lists_.mask_objects.push_back(static_cast<int32_t>(place));
    }
    lists_.mask_offsets.push_back(static_cast<int64_t>(before));
    lists_.mask_counts.push_back(static_cast<int64_t>(masks.size() - before));
    lists_.heights.push_back(static_cast<int32_t>(image.height));
    lists_.widths.push_back(static_cast<int32_t>(image.width));
  }

  const CocoSet& set_;
  const PreprocessedParts parts_;
  const CocoFields fields_;
  PreprocessedLists lists_;
};

}  // namespace

Result<PreprocessedLists> lists_of_set(const CocoSet& set, const CocoSourceOptions& options) {
  return ListsBuilder(set, options).build();
}

Status save_preprocessed_set(const CocoSet& set, const CocoSourceOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const PreprocessedLists lists, lists_of_set(set, options));
  const std::string& folder = options.save_preprocessed_annotations_dir;
  const auto spaced = std::ranges::find_if(lists.names, [](const std::string& name) {
    return name.find_first_of(" \t\r\v\f") != std::string::npos;
  });
  if (spaced != lists.names.end()) {
    log_warning(
        "{}: names have white space, as '{}' has; DALI cannot read them from preprocessed annotations",
        storage::uri_for_message(folder), *spaced);
  }
  const auto address_of = [&](std::string_view file) {
    return registry_of(options).resolve(storage::join_path(folder, file));
  };
  const auto write = [&](std::string_view file, Bytes content) -> Status {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, address_of(file));
    return storage::write_now(*address.store, address.key, content).status();
  };
  const auto remove = [&](std::string_view file) -> Status {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, address_of(file));
    const Status removed = storage::remove_now(*address.store, address.key);
    return removed.code() == StatusCode::kNotFound ? ok_status() : removed;
  };
  return annotate(write_preprocessed_lists(lists, parts_of(options), write, remove),
                  "the preprocessed annotations cannot be saved");
}

}  // namespace forebay::dataset
