// Shared by experimental.remap and experimental.warp_perspective.
#pragma once

#include "forebay/kernels/image/remap.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

/// invalid_argument that names the argument unless it is INTERP_NN, INTERP_LINEAR or INTERP_CUBIC.
inline Status set_remap_filter(InterpType type, std::string_view name, kernels::RemapFilter* filter) {
  switch (type) {
    case InterpType::kNearest:
      *filter = kernels::RemapFilter::kNearest;
      return ok_status();
    case InterpType::kLinear:
      *filter = kernels::RemapFilter::kLinear;
      return ok_status();
    case InterpType::kCubic:
      *filter = kernels::RemapFilter::kCubic;
      return ok_status();
    default:
      return invalid_argument("{} must be INTERP_NN, INTERP_LINEAR or INTERP_CUBIC", name);
  }
}

template <class T>
void add_pixel_origin(Description<T>& description) {
  description
      .param("pixel_origin", &T::pixel_origin,
             "Where (0, 0) lies in the first pixel: in its `corner`, or in its `center` as in OpenCV.")
      .choices({"corner", "center"});
}

}  // namespace forebay::operators
