// The tensors that a sample of COCO's has besides its picture.
#pragma once

#include <span>
#include <vector>

#include "forebay/dataset/coco/coco_annotations.h"
#include "forebay/dataset/coco/coco_source.h"
#include "forebay/tensor/tensor.h"

namespace forebay::dataset {

/// Immutable; thread safe. Borrows the annotations.
class CocoFields {
 public:
  CocoFields(const CocoAnnotations& annotations, const CocoSourceOptions& options);

  int count() const;

  /// Appends them for an image and the numbers of its objects. data_loss for a mask that is not the image's.
  Status add(const CocoImage& image, std::span<const size_t> objects,
             std::vector<tensor::Tensor>* fields) const;

 private:
  using Tensors = std::vector<tensor::Tensor>;

  const CocoObject& object(size_t number) const { return annotations_.objects[number]; }
  Status add_boxes(const CocoImage& image, std::span<const size_t> objects, Tensors* fields) const;
  Status add_labels(std::span<const size_t> objects, Tensors* fields) const;
  Status add_polygons(const CocoImage& image, std::span<const size_t> objects, Tensors* fields) const;
  Status add_mask(const CocoImage& image, std::span<const size_t> objects, Tensors* fields) const;
  Status add_id(const CocoImage& image, Tensors* fields) const;
  Status add_keypoints(const CocoImage& image, std::span<const size_t> objects, Tensors* fields) const;

  const CocoAnnotations& annotations_;
  const bool ltrb_;
  const bool ratio_;
  const bool polygon_masks_;
  const bool counts_coordinates_;
  const bool pixelwise_masks_;
  const bool image_ids_;
  const bool keypoints_;
};

}  // namespace forebay::dataset
