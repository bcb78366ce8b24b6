#include "forebay/operators/geometry/displacement.h"

#include "forebay/operators/layout/image_layout.h"

namespace forebay::operators {

Status DisplacementArguments::prepare(const Arguments&) const {
  if (interp_type != InterpType::kNearest && interp_type != InterpType::kLinear) {
    return invalid_argument("interp_type must be INTERP_NN or INTERP_LINEAR");
  }
  return ok_status();
}

Status DisplacementArguments::displace(Sample& sample, DisplacedRow row) const {
  const Tensor& in = sample.input(0);
  FOREBAY_ASSIGN_OR_RETURN(const Layout layout, image_layout(in, {"HWC", "FHWC"}));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t is_displaced, mask.get(sample));
  if (is_displaced == 0) {
    FOREBAY_ASSIGN_OR_RETURN(Tensor same, in.reinterpreted({in.shape(), in.dtype(), layout}));
    sample.forward(0, std::move(same));
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const Frames frames, Frames::of(sample, layout));
  kernels::RemapOptions options;
  options.filter =
      interp_type == InterpType::kLinear ? kernels::RemapFilter::kLinear : kernels::RemapFilter::kNearest;
  options.fill = fill_value;
  options.halves_away = true;
  return for_each_frame(sample, frames, frames.spec(),
                        [&](const TensorView& from, int64_t frame, const MutableTensorView& to) {
                          const auto row_of_frame = [&](int64_t y, std::span<float> xs, std::span<float> ys) {
                            row(from.shape(), frame, y, xs, ys);
                          };
                          return kernels::remap(from, options, row_of_frame, to);
                        });
}

}  // namespace forebay::operators
