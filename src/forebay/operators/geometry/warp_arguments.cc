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

Result<WarpInput> WarpArguments::input_of(const Sample& sample) {
  const Tensor& tensor = sample.input(0);
  WarpInput in;
  FOREBAY_ASSIGN_OR_RETURN(in.layout, image_layout(tensor, {"HWC", "FHWC", "DHWC", "FDHWC"}));
  int axis = 0;
  if (in.layout[0] == 'F') {
    in.frames = tensor.shape()[axis++];
  }
  for (; axis < tensor.shape().rank() - 1; ++axis) {
    in.size.push_back(tensor.shape()[axis]);
  }
  return in;
}

Result<std::optional<std::vector<int64_t>>> WarpArguments::given_size(const Sample& sample,
                                                                      int dimensions) const {
  if (!size.is_given()) {
    return std::nullopt;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<float> given, size.get(sample));
  if (given.empty() && !size.is_tensor()) {
    return std::nullopt;
  }
  if (static_cast<int>(given.size()) != dimensions) {
    return invalid_argument("size has {} extents for an input of {}", given.size(),
                            sample.input(0).spec().to_string());
  }
  std::vector<int64_t> extents;
  for (const float extent : given) {
    if (!(extent >= 0 && extent < 1e9f)) {
      return invalid_argument("an output cannot have an extent of {}", extent);
    }
    extents.push_back(std::lround(extent));
  }
  return extents;
}

Status WarpArguments::warp(Sample& sample, const WarpInput& in, std::span<const int64_t> out_size,
                           const kernels::AffineMap& map) const {
  const Tensor& tensor = sample.input(0);
  TensorSpec frame_in{{}, tensor.dtype(), {}};
  TensorSpec frame_out{{}, dtype.value_or(tensor.dtype()), {}};
  TensorSpec spec{{}, frame_out.dtype, in.layout};
  if (in.layout[0] == 'F') {
    spec.shape.push_back(in.frames);
  }
  for (int i = 0; i < in.dimensions(); ++i) {
    frame_in.shape.push_back(in.size[i]);
    frame_out.shape.push_back(out_size[i]);
    spec.shape.push_back(out_size[i]);
  }
  for (Shape* shape : {&frame_in.shape, &frame_out.shape, &spec.shape}) {
    shape->push_back(tensor.shape().back());
  }
  if (!spec.shape.checked_volume()) {
    return invalid_argument("no tensor can have the shape {}", spec.shape.to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, spec));
  kernels::WarpOptions options{map, kernels::WarpFilter::kLinear, fill_value};
  if (interp_type == InterpType::kNearest) {
    options.filter = kernels::WarpFilter::kNearest;
  }
  return sample.try_parallel_for(in.frames, [&](int64_t frame) {
    const auto* from = static_cast<const std::byte*>(tensor.data()) + frame * frame_in.size_bytes();
    auto* to = static_cast<std::byte*>(out.data) + frame * frame_out.size_bytes();
    return kernels::warp({from, frame_in}, options, {to, frame_out});
  });
}

}  // namespace forebay::operators
