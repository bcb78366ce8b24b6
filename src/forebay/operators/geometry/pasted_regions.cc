#include "forebay/operators/geometry/pasted_regions.h"

#include <algorithm>
#include <cmath>

#include "forebay/kernels/generic/cast.h"
#include "forebay/kernels/generic/strided.h"

namespace forebay::operators {
namespace {

constexpr int64_t kFarAnchor = 1'000'000'000'000'000;  // beyond every image

/// A pair (y, x) a region, in pixels or as parts of an extent; none if neither is given.
class RegionPairs {
 public:
  static Result<RegionPairs> of(const Sample& sample, std::string_view name,
                                const Arg<std::vector<int64_t>>& pixels, const Arg<std::vector<float>>& parts,
                                size_t regions) {
    RegionPairs pairs;
    FOREBAY_ASSIGN_OR_RETURN(pairs.pixels_, pixels.values(sample));
    FOREBAY_ASSIGN_OR_RETURN(pairs.parts_, parts.values(sample));
    if (pixels.is_given() && pairs.pixels_.size() != 2 * regions) {
      return wrong_number(name, "", pairs.pixels_.size(), regions);
    }
    if (parts.is_given() && pairs.parts_.size() != 2 * regions) {
      return wrong_number(name, "_rel", pairs.parts_.size(), regions);
    }
    return pairs;
  }

  /// Of one region along one axis; `round` makes pixels of parts of `extent`.
  Result<int64_t> at(size_t region, size_t axis, int64_t extent, float (*round)(float),
                     int64_t otherwise) const {
    if (!pixels_.empty()) {
      return std::clamp(pixels_[2 * region + axis], -kFarAnchor, kFarAnchor);
    }
    if (parts_.empty()) {
      return otherwise;
    }
    const float part = parts_[2 * region + axis];
    if (!(part >= 0 && part <= 1)) {
      return invalid_argument("a relative anchor or shape is from 0 to 1, not {}", part);
    }
    return static_cast<int64_t>(round(static_cast<float>(extent) * part));
  }

 private:
  static Status wrong_number(std::string_view name, std::string_view suffix, size_t numbers, size_t regions) {
    return invalid_argument("{}{} has {} numbers; {} regions need a pair (y, x) each", name, suffix, numbers,
                            regions);
  }

  ArgumentIntegers pixels_;
  ArgumentFloats parts_;
};

/// The pixel that lies (y, x) pixels behind that at `data`.
template <class Byte>
Byte* pixel_of(Byte* data, const TensorSpec& spec, int64_t y, int64_t x) {
  const auto pixel_bytes = static_cast<size_t>(spec.shape[2]) * tensor::size_of(spec.dtype);
  return data + static_cast<size_t>(y * spec.shape[1] + x) * pixel_bytes;
}

}  // namespace

Status paste_region(const PastedRegion& region, const MutableTensorView& canvas) {
  const TensorView image = region.source->view();
  const auto* from =
      pixel_of(static_cast<const std::byte*>(image.data), image.spec, region.from[0], region.from[1]);
  auto* to = pixel_of(static_cast<std::byte*>(canvas.data), canvas.spec, region.to[0], region.to[1]);
  const int64_t channels = image.shape()[2];
  if (image.dtype() == canvas.dtype()) {
    kernels::copy_strided({region.size[0], region.size[1], channels},
                          static_cast<int>(tensor::size_of(image.dtype())), from,
                          kernels::dense_strides(image.shape()), to, kernels::dense_strides(canvas.shape()));
    return ok_status();
  }
  const TensorSpec from_row{{region.size[1], channels}, image.dtype(), {}};
  const TensorSpec to_row{from_row.shape, canvas.dtype(), {}};
  for (int64_t y = 0; y < region.size[0]; ++y) {
    FOREBAY_RETURN_IF_ERROR(kernels::cast({from, from_row}, {to, to_row}));
    from = pixel_of(from, image.spec, 1, 0);
    to = pixel_of(to, canvas.spec, 1, 0);
  }
  return ok_status();
}

Status RegionArguments::check_regions() const {
  if ((in_anchors.is_given() && in_anchors_rel.is_given()) || (shapes.is_given() && shapes_rel.is_given()) ||
      (out_anchors.is_given() && out_anchors_rel.is_given())) {
    return invalid_argument("anchors and shapes are given either in pixels or relative (_rel), not both");
  }
  return ok_status();
}

Result<PastedRegions> RegionArguments::regions_of(const Sample& sample,
                                                  std::span<const Tensor* const> sources,
                                                  const Shape& canvas) const {
  const size_t count = sources.size();
  FOREBAY_ASSIGN_OR_RETURN(const RegionPairs from,
                           RegionPairs::of(sample, "in_anchors", in_anchors, in_anchors_rel, count));
  FOREBAY_ASSIGN_OR_RETURN(const RegionPairs sizes,
                           RegionPairs::of(sample, "shapes", shapes, shapes_rel, count));
  FOREBAY_ASSIGN_OR_RETURN(const RegionPairs to,
                           RegionPairs::of(sample, "out_anchors", out_anchors, out_anchors_rel, count));
  PastedRegions regions(count);
  for (size_t i = 0; i < count; ++i) {
    PastedRegion& region = regions[i];
    region.source = sources[i];
    for (size_t axis = 0; axis < 2; ++axis) {
      const int64_t extent = sources[i]->shape()[static_cast<int>(axis)];
      const int64_t room = canvas[static_cast<int>(axis)];
      FOREBAY_ASSIGN_OR_RETURN(const int64_t begin, from.at(i, axis, extent, std::floor, 0));
      FOREBAY_ASSIGN_OR_RETURN(const int64_t size, sizes.at(i, axis, extent, std::ceil, extent - begin));
      FOREBAY_ASSIGN_OR_RETURN(const int64_t place, to.at(i, axis, room, std::floor, 0));
      const bool is_inside =
          begin >= 0 && size >= 0 && place >= 0 && begin <= extent - size && place <= room - size;
      if (!is_inside) {
        return invalid_argument(
            "region {} has {} pixels along axis {}, from {} of {} in the image to {} of {} on the canvas", i,
            size, axis, begin, extent, place, room);
      }
      region.from[axis] = begin;
      region.size[axis] = size;
      region.to[axis] = place;
    }
  }
  return regions;
}

}  // namespace forebay::operators
