// resize_crop_mirror: resize, crop and flip in one resampling of the part that is left.
#include <utility>

#include "forebay/operators/resampling/resized_crop.h"

namespace forebay::operators {

Status ResizeCropMirror::prepare(const Arguments& arguments) const {
  FOREBAY_RETURN_IF_ERROR(check_resample(*this));
  FOREBAY_RETURN_IF_ERROR(CropArguments::check());
  return check_size(arguments);
}

Status ResizeCropMirror::run(Sample& sample) const {
  const TensorSpec& in = sample.input(0).spec();
  ResizePlan plan;
  FOREBAY_ASSIGN_OR_RETURN(plan.space, find_spatial_axes(in));
  FOREBAY_RETURN_IF_ERROR(set_axes(sample, *this, in, plan));
  FOREBAY_RETURN_IF_ERROR(crop_and_mirror(sample, plan));
  FOREBAY_RETURN_IF_ERROR(complete_plan(sample, *this, in, plan));
  return run_resize(sample, plan);
}

Status ResizeCropMirror::crop_and_mirror(const Sample& sample, ResizePlan& plan) const {
  Shape resized = sample.input(0).shape();
  for (int i = 0; i < plan.space.count; ++i) {
    resized[plan.space.first + i] = plan.axes[i].out_size;
  }
  FOREBAY_ASSIGN_OR_RETURN(const TensorWindow window,
                           CropArguments::window(sample, resized, plan.space.layout));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t mirrored, mirror.get(sample));
  for (int i = 0; i < plan.space.count; ++i) {
    ResizedAxis& axis = plan.axes[i];
    const int place = plan.space.first + i;
    if (axis.out_size > 0) {
      const auto edge = [&, lo = double{axis.lo}, length = double{axis.hi - axis.lo}](int64_t at) {
        return static_cast<float>(lo + length * static_cast<double>(at) / static_cast<double>(axis.out_size));
      };
      const float lo = edge(window.anchor[place]);
      axis.hi = edge(window.anchor[place] + window.shape[place]);
      axis.lo = lo;
      axis.out_size = window.shape[place];
    }
    if ((mirrored >> (plan.space.count - 1 - i) & 1) != 0) {  // bit 0: x, bit 1: y, bit 2: z
      std::swap(axis.lo, axis.hi);
    }
  }
  return ok_status();
}

OperatorSpec resize_crop_mirror() {
  return describe<ResizeCropMirror>("resize_crop_mirror", "Resizes, crops and mirrors at once.")
      .group(add_resized_crop<ResizeCropMirror>)
      .matches("DALI resize_crop_mirror")
      .build();
}

}  // namespace forebay::operators
