#include "forebay/dataset/coco/coco_fields.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "forebay/dataset/coco/mask_runs.h"

namespace forebay::dataset {
namespace {

using tensor::DType;
using tensor::Layout;
using tensor::Shape;
using tensor::Tensor;

/// A new field; its numbers are the caller's to write.
template <class T>
Result<std::span<T>> new_field(Shape shape, std::vector<Tensor>* fields, Layout layout = {}) {
  FOREBAY_ASSIGN_OR_RETURN(Tensor made, Tensor::allocate({shape, tensor::kDTypeOf<T>, layout}));
  const std::span<T> numbers = made.mutable_view().template span<T>();
  fields->push_back(std::move(made));
  return numbers;
}

/// What pixels are divided by on each axis.
std::array<float, 2> unit_of(const CocoImage& image, bool is_ratio) {
  if (!is_ratio) {
    return {1, 1};
  }
  return {static_cast<float>(image.width), static_cast<float>(image.height)};
}

}  // namespace

CocoFields::CocoFields(const CocoAnnotations& annotations, const CocoSourceOptions& options)
    : annotations_(annotations),
      ltrb_(options.ltrb),
      ratio_(options.ratio),
      polygon_masks_(options.has_polygons()),
      counts_coordinates_(options.masks),
      pixelwise_masks_(options.pixelwise_masks),
      image_ids_(options.image_ids),
      keypoints_(options.keypoints) {
}

int CocoFields::count() const {
  return 2 + (polygon_masks_ ? 2 : 0) + (pixelwise_masks_ ? 1 : 0) + (image_ids_ ? 1 : 0) +
         (keypoints_ ? 1 : 0);
}

Status CocoFields::add(const CocoImage& image, std::span<const size_t> objects, Tensors* fields) const {
  FOREBAY_RETURN_IF_ERROR(add_boxes(image, objects, fields));
  FOREBAY_RETURN_IF_ERROR(add_labels(objects, fields));
  if (polygon_masks_) {
    FOREBAY_RETURN_IF_ERROR(add_polygons(image, objects, fields));
  }
  if (pixelwise_masks_) {
    FOREBAY_RETURN_IF_ERROR(add_mask(image, objects, fields));
  }
  if (image_ids_) {
    FOREBAY_RETURN_IF_ERROR(add_id(image, fields));
  }
  return keypoints_ ? add_keypoints(image, objects, fields) : ok_status();
}

Status CocoFields::add_boxes(const CocoImage& image, std::span<const size_t> objects, Tensors* fields) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::span<float> out,
                           new_field<float>({static_cast<int64_t>(objects.size()), 4}, fields));
  const std::array<float, 2> unit = unit_of(image, ratio_);
  float* to = out.data();
  for (const size_t number : objects) {
    std::array<float, 4> box = object(number).box;
    for (size_t axis = 0; axis < 2; ++axis) {
      box[2 + axis] += ltrb_ ? box[axis] : 0;
      to[axis] = box[axis] / unit[axis];
      to[2 + axis] = box[2 + axis] / unit[axis];
    }
    to += 4;
  }
  return ok_status();
}

Status CocoFields::add_labels(std::span<const size_t> objects, Tensors* fields) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::span<int32_t> out,
                           new_field<int32_t>({static_cast<int64_t>(objects.size())}, fields));
  std::ranges::transform(objects, out.begin(), [&](size_t number) { return object(number).category; });
  return ok_status();
}

Status CocoFields::add_polygons(const CocoImage& image, std::span<const size_t> objects,
                                Tensors* fields) const {
  int64_t polygons = 0;
  int64_t vertices = 0;
  for (const size_t number : objects) {
    const CocoPart& part = object(number).polygons;
    polygons += static_cast<int64_t>(part.size());
    for (size_t polygon = part.begin; polygon < part.end; ++polygon) {
      vertices += static_cast<int64_t>(annotations_.polygon(polygon).size() / 2);
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::span<int32_t> rows, new_field<int32_t>({polygons, 3}, fields));
  FOREBAY_ASSIGN_OR_RETURN(const std::span<float> points, new_field<float>({vertices, 2}, fields));
  const std::array<float, 2> unit = unit_of(image, ratio_);
  const size_t step = counts_coordinates_ ? 1 : 2;
  int32_t* row = rows.data();
  size_t done = 0;
  for (size_t place = 0; place < objects.size(); ++place) {
    const CocoPart& part = object(objects[place]).polygons;
    for (size_t polygon = part.begin; polygon < part.end; ++polygon) {
      const CocoPart coordinates = annotations_.polygon(polygon);
      *row++ = static_cast<int32_t>(place);
      *row++ = static_cast<int32_t>(done / step);
      *row++ = static_cast<int32_t>((done + coordinates.size()) / step);
      for (size_t i = coordinates.begin; i < coordinates.end; ++i, ++done) {
        points[done] = annotations_.coordinates[i] / unit[done % 2];
      }
    }
  }
  return ok_status();
}

// Where objects overlap, the larger label is seen.
Status CocoFields::add_mask(const CocoImage& image, std::span<const size_t> objects, Tensors* fields) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::span<int32_t> mask,
                           new_field<int32_t>({image.height, image.width, 1}, fields, "HWC"));
  std::memset(mask.data(), 0, mask.size_bytes());
  MaskPainter painter(mask.data(), image.height, image.width);
  std::vector<size_t> by_label(objects.begin(), objects.end());
  std::ranges::stable_sort(by_label, {}, [&](size_t number) { return object(number).category; });
  for (const size_t number : by_label) {
    const CocoObject& painted = object(number);
    for (size_t polygon = painted.polygons.begin; polygon < painted.polygons.end; ++polygon) {
      const CocoPart part = annotations_.polygon(polygon);
      FOREBAY_RETURN_IF_ERROR(painter.paint_polygon(
          std::span<const float>(annotations_.coordinates).subspan(part.begin, part.size()),
          painted.category));
    }
    if (painted.runs.size() == 0) {
      continue;
    }
    if (painted.mask_height != image.height || painted.mask_width != image.width) {
      return data_loss("a mask of {} x {} pixels is given for an image of {} x {}", painted.mask_width,
                       painted.mask_height, image.width, image.height);
    }
    painter.paint_runs(
        std::span<const uint32_t>(annotations_.runs).subspan(painted.runs.begin, painted.runs.size()),
        painted.category);
  }
  return ok_status();
}

Status CocoFields::add_id(const CocoImage& image, Tensors* fields) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::span<int32_t> id, new_field<int32_t>({1}, fields));
  id[0] = static_cast<int32_t>(image.id);
  return ok_status();
}

Status CocoFields::add_keypoints(const CocoImage& image, std::span<const size_t> objects,
                                 Tensors* fields) const {
  const size_t most = annotations_.most_keypoints;
  FOREBAY_ASSIGN_OR_RETURN(
      const std::span<float> out,
      new_field<float>({static_cast<int64_t>(objects.size()), static_cast<int64_t>(most), 3}, fields));
  const std::array<float, 2> unit = unit_of(image, ratio_);
  for (size_t place = 0; place < objects.size(); ++place) {
    const CocoPart& part = object(objects[place]).keypoints;
    for (size_t i = 0; i < 3 * most; ++i) {
      const float number = i < part.size() ? annotations_.keypoints[part.begin + i] : 0;
      out[3 * most * place + i] = i % 3 < 2 ? number / unit[i % 3] : number;
    }
  }
  return ok_status();
}

}  // namespace forebay::dataset
