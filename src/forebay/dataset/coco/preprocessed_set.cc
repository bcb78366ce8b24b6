#include "forebay/dataset/coco/preprocessed_set.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr size_t kCountBytesOfList = 4;
constexpr size_t kPolygonNumbers = 3;

/// Where element `i` of a list lies in its file.
template <class T>
size_t byte_of(size_t i, size_t numbers = 1) {
  return kCountBytesOfList + i * numbers * sizeof(T);
}

/// Makes the data set, list by list.
class SetBuilder {
 public:
  SetBuilder(PreprocessedLists lists, const PreprocessedParts& parts, const std::string& folder)
      : lists_(std::move(lists)), parts_(parts), folder_(folder), samples_(lists_.names.size()) {}

  Result<CocoSet> build() {
    FOREBAY_RETURN_IF_ERROR(add_images());
    FOREBAY_RETURN_IF_ERROR(add_objects());
    FOREBAY_RETURN_IF_ERROR(add_polygons());
    FOREBAY_RETURN_IF_ERROR(add_masks());
    return std::move(set_);
  }

 private:
  /// Of a list with an element a sample, if it was read.
  template <class T>
  Status check_length(const std::vector<T>& list, const char* file, bool is_read) const {
    if (!is_read || list.size() == samples_) {
      return ok_status();
    }
    return data_loss("{}/{}: {} elements, but filenames.dat has {} names, at byte 0", folder_, file,
                     list.size(), samples_);
  }

  /// The parts that samples have of a list of `total` elements lie one behind the other.
  template <class T>
  Status check_parts(const std::vector<T>& offsets, const std::vector<T>& counts, const char* offsets_file,
                     const char* counts_file, size_t total, const char* list_file, bool is_read) const {
    FOREBAY_RETURN_IF_ERROR(check_length(offsets, offsets_file, is_read));
    FOREBAY_RETURN_IF_ERROR(check_length(counts, counts_file, is_read));
    size_t end = 0;
    for (size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] < 0 || static_cast<size_t>(offsets[i]) != end) {
        return data_loss("{}/{}: sample {} begins at {}, but the one before ends at {}, at byte {}", folder_,
                         offsets_file, i, offsets[i], end, byte_of<T>(i));
      }
      if (counts[i] < 0 || static_cast<size_t>(counts[i]) > total - end) {
        return data_loss("{}/{}: sample {} has {} of the {} elements of {}, of which {} are left, at byte {}",
                         folder_, counts_file, i, counts[i], total, list_file, total - end, byte_of<T>(i));
      }
      end += static_cast<size_t>(counts[i]);
    }
    if (end != total) {
      return data_loss("{}/{}: the samples have {} of the {} elements of {}, at byte {}", folder_,
                       counts_file, end, total, list_file, kCountBytesOfList);
    }
    return ok_status();
  }

  Status add_images() {
    FOREBAY_RETURN_IF_ERROR(check_length(lists_.ids, "original_ids.dat", parts_.ids));
    FOREBAY_RETURN_IF_ERROR(check_length(lists_.heights, "heights.dat", parts_.masks));
    FOREBAY_RETURN_IF_ERROR(check_length(lists_.widths, "widths.dat", parts_.masks));
    for (size_t i = 0; i < samples_; ++i) {
      CocoImage image;
      image.name = std::move(lists_.names[i]);
      image.id = lists_.ids.empty() ? static_cast<int64_t>(i) : lists_.ids[i];
      if (!lists_.heights.empty()) {
        image.height = lists_.heights[i];
        image.width = lists_.widths[i];
      }
      if (image.height < 0 || image.width < 0) {
        return data_loss("{}/{}: sample {} is {} x {} pixels large, at byte {}", folder_,
                         image.height < 0 ? "heights.dat" : "widths.dat", i, image.width, image.height,
                         byte_of<int32_t>(i));
      }
      set_.annotations.images.push_back(std::move(image));
      set_.images.push_back(i);
    }
    return ok_status();
  }

  Status add_objects() {
    constexpr size_t kBoxNumbers = 4;
    const size_t total = lists_.labels.size();
    if (lists_.boxes.size() != kBoxNumbers * total) {
      return data_loss("{}/boxes.dat: {} boxes, but labels.dat has {} labels, at byte 0", folder_,
                       lists_.boxes.size() / kBoxNumbers, total);
    }
    FOREBAY_RETURN_IF_ERROR(check_parts(lists_.object_offsets, lists_.object_counts, "offsets.dat",
                                        "counts.dat", total, "labels.dat", true));
    set_.annotations.objects.resize(total);
    set_.objects.resize(samples_);
    size_t number = 0;
    for (size_t i = 0; i < samples_; ++i) {
      for (int32_t of_sample = 0; of_sample < lists_.object_counts[i]; ++of_sample, ++number) {
        CocoObject& object = set_.annotations.objects[number];
        object.image_id = set_.annotations.images[i].id;
        object.category = lists_.labels[number];
        std::copy_n(lists_.boxes.begin() + static_cast<ptrdiff_t>(kBoxNumbers * number), kBoxNumbers,
                    object.box.begin());
        set_.objects[i].push_back(number);
      }
    }
    return ok_status();
  }

  Status add_polygons() {
    const size_t total = lists_.polygons.size() / kPolygonNumbers;
    const bool is_read = parts_.polygons || parts_.masks;
    FOREBAY_RETURN_IF_ERROR(check_parts(lists_.polygon_offsets, lists_.polygon_counts, "polygon_offset.dat",
                                        "polygons_count.dat", total, "polygon_data.dat", is_read));
    FOREBAY_RETURN_IF_ERROR(check_parts(lists_.vertex_offsets, lists_.vertex_counts, "vertices_offset.dat",
                                        "vertices_count.dat", lists_.vertices.size() / 2, "vertices.dat",
                                        is_read));
    for (size_t i = 0; i < lists_.polygon_offsets.size(); ++i) {
      FOREBAY_RETURN_IF_ERROR(add_polygons_of(i));
    }
    set_.annotations.coordinates = std::move(lists_.vertices);
    return ok_status();
  }

  Status add_polygons_of(size_t sample) {
    const auto begin = static_cast<size_t>(lists_.polygon_offsets[sample]);
    const size_t end = begin + static_cast<size_t>(lists_.polygon_counts[sample]);
    int64_t vertices = 0;
    int32_t object = 0;
    for (size_t polygon = begin; polygon < end; ++polygon) {
      const int32_t* row = lists_.polygons.data() + kPolygonNumbers * polygon;
      if (row[0] < object || row[0] >= lists_.object_counts[sample] || row[1] != vertices ||
          row[2] < row[1] || row[2] > lists_.vertex_counts[sample]) {
        return data_loss(
            "{}/polygon_data.dat: polygon {} is of object {} and has vertices {} to {}; sample {} has {} "
            "objects "
            "and {} vertices, of which {} are those of the polygons before, at byte {}",
            folder_, polygon, row[0], row[1], row[2], sample, lists_.object_counts[sample],
            lists_.vertex_counts[sample], vertices, byte_of<int32_t>(polygon, kPolygonNumbers));
      }
      object = row[0];
      vertices = row[2];
      set_.annotations.polygon_ends.push_back(2 *
                                              static_cast<size_t>(lists_.vertex_offsets[sample] + vertices));
      CocoPart& part = object_of(sample, object).polygons;
      part = {part.size() == 0 ? polygon : part.begin, polygon + 1};
    }
    if (vertices != lists_.vertex_counts[sample]) {
      return data_loss("{}/vertices_count.dat: sample {} has {} vertices, its polygons {}, at byte {}",
                       folder_, sample, lists_.vertex_counts[sample], vertices, byte_of<int64_t>(sample));
    }
    return ok_status();
  }

  Status add_masks() {
    const size_t total = lists_.masks.size();
    FOREBAY_RETURN_IF_ERROR(check_parts(lists_.mask_offsets, lists_.mask_counts, "masks_offset.dat",
                                        "mask_count.dat", total, "masks_rles.dat", parts_.masks));
    if (lists_.mask_objects.size() != total) {
      return data_loss("{}/masks_rles_idx.dat: {} objects, but masks_rles.dat has {} masks, at byte 0",
                       folder_, lists_.mask_objects.size(), total);
    }
    size_t mask = 0;
    for (size_t i = 0; i < lists_.mask_offsets.size(); ++i) {
      int32_t next_object = 0;
      for (int64_t of_sample = 0; of_sample < lists_.mask_counts[i]; ++of_sample, ++mask) {
        const int32_t number = lists_.mask_objects[mask];
        if (number < next_object || number >= lists_.object_counts[i]) {
          return data_loss(
              "{}/masks_rles_idx.dat: mask {} is of object {}, which is not one of those left of the "
              "{} of sample {}, at byte {}",
              folder_, mask, number, lists_.object_counts[i], i, byte_of<int32_t>(mask));
        }
        next_object = number + 1;
        CocoObject& object = object_of(i, number);
        object.runs = {mask == 0 ? 0 : lists_.masks.run_ends[mask - 1], lists_.masks.run_ends[mask]};
        object.mask_height = lists_.masks.heights[mask];
        object.mask_width = lists_.masks.widths[mask];
      }
    }
    set_.annotations.runs = std::move(lists_.masks.runs);
    return ok_status();
  }

  CocoObject& object_of(size_t sample, int32_t number) {
    return set_.annotations.objects[static_cast<size_t>(lists_.object_offsets[sample] + number)];
  }

  PreprocessedLists lists_;
  const PreprocessedParts parts_;
  const std::string& folder_;
  const size_t samples_;
  CocoSet set_;
};

}  // namespace

Result<CocoSet> set_of_lists(PreprocessedLists lists, const PreprocessedParts& parts,
                             const std::string& folder) {
  return SetBuilder(std::move(lists), parts, folder).build();
}

Result<CocoSet> read_preprocessed_set(const CocoSourceOptions& options) {
  const auto open = [&](std::string_view file) -> Result<std::shared_ptr<const ByteSource>> {
    const std::string path = storage::join_path(options.preprocessed_annotations, file);
    FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, registry_of(options).resolve(path));
    FOREBAY_ASSIGN_OR_RETURN(storage::ObjectStat stat,
                             storage::stat_now(*address.store, address.key, opening()));
    return std::make_shared<ObjectByteSource>(std::move(address), std::move(stat));
  };
  const std::string folder = storage::uri_for_message(options.preprocessed_annotations);
  const PreprocessedParts parts = parts_of(options);
  FOREBAY_ASSIGN_OR_RETURN(PreprocessedLists lists, read_preprocessed_lists(open, folder, parts));
  return set_of_lists(std::move(lists), parts, folder);
}

}  // namespace forebay::dataset
