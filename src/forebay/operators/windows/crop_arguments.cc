#include "forebay/operators/windows/crop_arguments.h"

#include <cmath>

namespace forebay::operators {
namespace {

constexpr float kLargestExtent = 1 << 30;

struct AxisCrop {
  char name;
  float size;      // 0: the whole axis
  float position;  // 0..1
};

Status place(const AxisCrop& crop, int axis, bool truncates, TensorWindow& window) {
  if (!(crop.size >= 0 && crop.size <= kLargestExtent)) {
    return invalid_argument("the extent {} of a crop along axis {} is not in [0, {}]", crop.size, crop.name,
                            kLargestExtent);
  }
  if (!(crop.position >= 0 && crop.position <= 1)) {
    return invalid_argument("the position {} of a crop along axis {} is not in [0, 1]", crop.position,
                            crop.name);
  }
  const auto size = static_cast<int64_t>(crop.size);
  if (size == 0) {
    return ok_status();
  }
  const float anchor = crop.position * static_cast<float>(window.shape[axis] - size);
  window.anchor[axis] = static_cast<int64_t>(truncates ? std::trunc(anchor) : std::round(anchor));
  window.shape[axis] = size;
  return ok_status();
}

}  // namespace

Status CropArguments::check() const {
  if (crop.is_given() && (crop_d.is_given() || crop_h.is_given() || crop_w.is_given())) {
    return invalid_argument("`crop` and `crop_d`, `crop_h`, `crop_w` cannot be given together");
  }
  if (crop_h.is_given() != crop_w.is_given()) {
    return invalid_argument("`crop_h` and `crop_w` must be given together");
  }
  if (crop_d.is_given() && !crop_w.is_given()) {
    return invalid_argument("`crop_d` needs `crop_h` and `crop_w`");
  }
  const size_t entries = crop.constant().size();
  if (crop.is_given() && !crop.is_tensor() && entries != 2 && entries != 3) {
    return invalid_argument("`crop` has {} entries; (height, width) or (depth, height, width) is needed",
                            entries);
  }
  return ok_status();
}

Result<TensorWindow> CropArguments::window(const Sample& sample, const Shape& shape,
                                           const Layout& layout) const {
  TensorWindow window;
  window.shape = shape;
  if (!is_given()) {
    return window;
  }
  FOREBAY_ASSIGN_OR_RETURN(const float x, crop_pos_x.get(sample));
  FOREBAY_ASSIGN_OR_RETURN(const float y, crop_pos_y.get(sample));
  FOREBAY_ASSIGN_OR_RETURN(const float z, crop_pos_z.get(sample));
  AxisCrop depth{'D', 0, z};
  AxisCrop height{'H', 0, y};
  AxisCrop width{'W', 0, x};
  if (crop.is_given()) {
    FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats sizes, crop.values(sample));
    if (sizes.size() != 2 && sizes.size() != 3) {
      return invalid_argument("`crop` has {} entries; (height, width) or (depth, height, width) is needed",
                              sizes.size());
    }
    width.size = sizes.back();
    height.size = sizes[sizes.size() - 2];
    depth.size = sizes.size() == 3 ? sizes[0] : 0;
  } else {
    FOREBAY_ASSIGN_OR_RETURN(width.size, crop_w.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(height.size, crop_h.get(sample));
    FOREBAY_ASSIGN_OR_RETURN(depth.size, crop_d.get(sample));
  }
  const bool truncates = rounding == "truncate";
  for (const AxisCrop& crop_of_axis : {height, width, depth}) {
    int axis = layout.find(crop_of_axis.name);
    if (axis < 0 && crop_of_axis.name == 'D') {
      axis = layout.find('F');  // a sequence counts as a volume of frames
    }
    if (axis >= 0) {
      FOREBAY_RETURN_IF_ERROR(place(crop_of_axis, axis, truncates, window));
    } else if (crop_of_axis.name != 'D') {
      return invalid_argument("a crop needs axes H and W, which the layout '{}' does not have",
                              layout.view());
    }
  }
  return window;
}

}  // namespace forebay::operators
