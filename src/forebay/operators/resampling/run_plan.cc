#include "forebay/operators/resampling/run_plan.h"

#include <cmath>
#include <vector>

#include "forebay/kernels/resampling/pillow_resize.h"
#include "forebay/kernels/resampling/resample.h"

namespace forebay::operators {
namespace {

Result<kernels::PillowFilter> pillow_filter_of(kernels::ResampleFilter filter) {
  switch (filter) {
    case kernels::ResampleFilter::kNearest:
      return kernels::PillowFilter::kNearest;
    case kernels::ResampleFilter::kLinear:
    case kernels::ResampleFilter::kTriangular:
      return kernels::PillowFilter::kBilinear;
    case kernels::ResampleFilter::kCubic:
      return kernels::PillowFilter::kBicubic;
    case kernels::ResampleFilter::kLanczos3:
      return kernels::PillowFilter::kLanczos;
    case kernels::ResampleFilter::kGaussian:
      break;
  }
  return invalid_argument("Pillow has no Gaussian filter; use another interp_type or numerics=\"dali\"");
}

/// Block number `index` of plan.space.outer, of rank plan.space.count + 1.
template <class View>
View block_of(const View& view, const SpatialAxes& space, int64_t index) {
  View block;
  for (int i = 0; i < space.count; ++i) {
    block.spec.shape.push_back(view.spec.shape[space.first + i]);
  }
  block.spec.shape.push_back(space.channels);
  block.spec.dtype = view.spec.dtype;
  block.spec.layout = space.count == 3 ? "DHWC" : "HWC";
  const auto offset = static_cast<ptrdiff_t>(block.spec.size_bytes()) * index;
  if constexpr (std::is_same_v<View, MutableTensorView>) {
    block.data = static_cast<std::byte*>(view.data) + offset;
  } else {
    block.data = static_cast<const std::byte*>(view.data) + offset;
  }
  return block;
}

template <class T>
Status pillow_block(const TensorView& in, const ResizePlan& plan, kernels::PillowFilter filter,
                    const MutableTensorView& out) {
  const auto extent = [](const auto& view, int axis) { return static_cast<int>(view.shape()[axis]); };
  const int channels = extent(in, 2);
  const kernels::ImageView<T> from{in.as<T>(), extent(in, 0), extent(in, 1), channels,
                                   extent(in, 1) * channels};
  const kernels::MutableImageView<T> to{out.as<T>(), extent(out, 0), extent(out, 1), channels,
                                        extent(out, 1) * channels};
  const kernels::PillowBox box{plan.axes[1].lo, plan.axes[0].lo, plan.axes[1].hi, plan.axes[0].hi};
  return kernels::pillow_resize(from, filter, box, to);
}

Status pillow_block(const TensorView& in, const ResizePlan& plan, const MutableTensorView& out) {
  const bool is_smaller = plan.axes[0].out_size < std::fabs(plan.axes[0].hi - plan.axes[0].lo);
  FOREBAY_ASSIGN_OR_RETURN(const kernels::PillowFilter filter,
                           pillow_filter_of(is_smaller ? plan.min_filter : plan.mag_filter));
  return in.dtype() == DType::kUint8 ? pillow_block<uint8_t>(in, plan, filter, out)
                                     : pillow_block<float>(in, plan, filter, out);
}

}  // namespace

Status resize_tensor(Sample& sample, const TensorView& in, const ResizePlan& plan,
                     const MutableTensorView& out) {
  if (out.volume() == 0) {
    return ok_status();
  }
  std::vector<kernels::ResampleAxis> axes;
  for (int i = 0; i < plan.space.count && !plan.is_pillow; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(kernels::ResampleAxis axis, plan.axis(i));
    axes.push_back(std::move(axis));
  }
  return sample.try_parallel_for(plan.space.outer, [&](int64_t index) {
    const TensorView from = block_of(in, plan.space, index);
    const MutableTensorView to = block_of(out, plan.space, index);
    return plan.is_pillow ? pillow_block(from, plan, to) : kernels::resample(from, axes, to);
  });
}

Status run_resize(Sample& sample, const ResizePlan& plan) {
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(0, plan.out));
  return resize_tensor(sample, sample.input(0).view(), plan, out);
}

}  // namespace forebay::operators
