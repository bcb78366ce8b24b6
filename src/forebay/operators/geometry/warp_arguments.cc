#include "forebay/operators/geometry/warp_arguments.h"

#include <cmath>

#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {

Status WarpArguments::check() const {
  if (interp_type != InterpType::kNearest && interp_type != InterpType::kLinear) {
    return invalid_argument("interp_type must be INTERP_NN or INTERP_LINEAR");
  }
  return ok_status();
}

Result<Layout> WarpArguments::layout_of(const Sample& sample) {
  return image_layout(sample.input(0), {"HWC", "FHWC", "DHWC", "FDHWC"});
}

Extents WarpArguments::extents_of(const Frames& frames) {
  Extents extents;
  for (int axis = 0; axis < frames.spec().shape.rank() - 1; ++axis) {
    extents.push_back(frames.spec().shape[axis]);
  }
  return extents;
}

Result<std::optional<Extents>> WarpArguments::extents_given(const Sample& sample,
                                                            const Arg<std::vector<float>>& size,
                                                            int dimensions) {
  if (!size.is_given()) {
    return std::nullopt;
  }
  FOREBAY_ASSIGN_OR_RETURN(const ArgumentFloats given, size.values(sample));
  if (given.empty() && !size.is_tensor()) {
    return std::nullopt;
  }
  if (static_cast<int>(given.size()) != dimensions) {
    return invalid_argument("size has {} extents for an input of {}", given.size(),
                            sample.input(0).spec().to_string());
  }
  Extents extents;
  for (const float extent : given) {
    if (!(extent >= 0 && extent < 1e9f)) {
      return invalid_argument("an output cannot have an extent of {}", extent);
    }
    extents.push_back(std::lround(extent));
  }
  return extents;
}

Status WarpArguments::warp(Sample& sample, const Frames& frames, std::span<const int64_t> out_size,
                           MapAt map_at) const {
  TensorSpec frame_out{{}, dtype.value_or(frames.spec().dtype), frames.spec().layout};
  for (const int64_t extent : out_size) {
    frame_out.shape.push_back(extent);
  }
  frame_out.shape.push_back(frames.spec().shape.back());
  const auto filter =
      interp_type == InterpType::kNearest ? kernels::WarpFilter::kNearest : kernels::WarpFilter::kLinear;
  return for_each_frame(sample, frames, frame_out,
                        [&](const TensorView& from, int64_t frame, const MutableTensorView& to) -> Status {
                          FOREBAY_ASSIGN_OR_RETURN(const kernels::AffineMatrix map, map_at(frame));
                          return kernels::warp(from, {map, filter, fill_value}, to);
                        });
}

}  // namespace forebay::operators
