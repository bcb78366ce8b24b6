#include "forebay/operators/resampling/resize.h"

#include <cmath>
#include <limits>

#include "forebay/kernels/resampling/pillow_resize.h"
#include "forebay/kernels/resampling/resample.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/resampling/pass_order.h"

namespace forebay::operators {
namespace {

Result<kernels::ResampleFilter> filter_of(InterpType type) {
  switch (type) {
    case InterpType::kNearest:
      return kernels::ResampleFilter::kNearest;
    case InterpType::kLinear:
      return kernels::ResampleFilter::kLinear;
    case InterpType::kCubic:
      return kernels::ResampleFilter::kCubic;
    case InterpType::kLanczos3:
      return kernels::ResampleFilter::kLanczos3;
    case InterpType::kTriangular:
      return kernels::ResampleFilter::kTriangular;
    case InterpType::kGaussian:
      return kernels::ResampleFilter::kGaussian;
  }
  return invalid_argument("{} is not an interpolation type", static_cast<int64_t>(type));
}

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

Status check_pillow(const ResizePlan& plan, DType dtype) {
  if (plan.space.count != 2 || (dtype != DType::kUint8 && dtype != DType::kFloat) ||
      plan.out.dtype != dtype) {
    return invalid_argument("numerics=\"pillow\" resizes images of uint8 or float to the same type");
  }
  if (plan.axes[0].lo > plan.axes[0].hi || plan.axes[1].lo > plan.axes[1].hi) {
    return invalid_argument("numerics=\"pillow\" does not mirror; use fn.flip");
  }
  return ok_status();
}

Status set_numerics(const std::string& numerics, ResizePlan& plan) {
  plan.is_pillow = numerics == "pillow";
  if (numerics == "exact") {
    plan.row_place = plan.column_place = kernels::NearestPlace::kExact;
  } else if (numerics == "torchvision") {
    constexpr auto kNearest = kernels::ResampleFilter::kNearest;
    if (plan.min_filter != kNearest || plan.mag_filter != kNearest) {
      return invalid_argument(
          "numerics=\"torchvision\" is there for INTERP_NN alone; use \"dali\" or \"pillow\" for other "
          "filters");
    }
    plan.row_place = plan.column_place = kernels::NearestPlace::kEdge;
  }
  return ok_status();
}

}  // namespace

Status check_resample(const ResampleArguments& arguments) {
  const std::optional<DType>& dtype = arguments.dtype;
  const bool is_known = !dtype || *dtype == DType::kFloat || *dtype == DType::kUint8 ||
                        *dtype == DType::kUint16 || *dtype == DType::kInt16;
  if (!is_known) {
    return invalid_argument("the output must have the input's type or FLOAT, not {}",
                            tensor::name_of(*dtype));
  }
  return ok_status();
}

Result<kernels::ResampleAxis> ResizePlan::axis(int index) const {
  const ResizedAxis& wanted = axes[index];
  kernels::ResampleAxisOptions options;
  options.in_size = static_cast<int>(wanted.in_size);
  options.out_size = static_cast<int>(wanted.out_size);
  options.lo = wanted.lo;
  options.hi = wanted.hi;
  options.min_filter = min_filter;
  options.mag_filter = mag_filter;
  options.antialias = antialias;
  options.nearest_place = index + 1 == space.count ? column_place : row_place;
  const bool takes_nearest =
      min_filter == kernels::ResampleFilter::kNearest || mag_filter == kernels::ResampleFilter::kNearest;
  if (takes_nearest && row_place == kernels::NearestPlace::kSum && wanted.out_size > 0 &&
      first_pass(std::span(axes).first(static_cast<size_t>(space.count))) != index) {
    options.nearest_origin = static_cast<int>(first_pixel(wanted));
  }
  return kernels::ResampleAxis::make(options);
}

Status complete_plan(const Sample& sample, const ResampleArguments& arguments, const TensorSpec& in,
                     ResizePlan& plan) {
  const DType dtype = in.dtype;
  if (dtype != DType::kUint8 && dtype != DType::kUint16 && dtype != DType::kInt16 && dtype != DType::kFloat) {
    return invalid_argument("{} cannot be resized; cast to UINT8, UINT16, INT16 or FLOAT", in.to_string());
  }
  const DType out_dtype = arguments.dtype.value_or(dtype);
  if (out_dtype != dtype && out_dtype != DType::kFloat) {
    return invalid_argument("the output must have the input's type, {}, or FLOAT, not {}",
                            tensor::name_of(dtype), tensor::name_of(out_dtype));
  }
  const bool min_is_given = arguments.min_filter.is_given();
  const bool mag_is_given = arguments.mag_filter.is_given();
  FOREBAY_ASSIGN_OR_RETURN(const InterpType min_type,
                           (min_is_given ? arguments.min_filter : arguments.interp_type).get(sample));
  FOREBAY_ASSIGN_OR_RETURN(const InterpType mag_type,
                           (mag_is_given ? arguments.mag_filter : arguments.interp_type).get(sample));
  FOREBAY_ASSIGN_OR_RETURN(plan.min_filter, filter_of(min_type));
  FOREBAY_ASSIGN_OR_RETURN(plan.mag_filter, filter_of(mag_type));
  plan.antialias = arguments.antialias;
  FOREBAY_RETURN_IF_ERROR(set_numerics(arguments.numerics, plan));
  plan.out = {in.shape, out_dtype, plan.space.layout};
  for (int i = 0; i < plan.space.count; ++i) {
    plan.out.shape[plan.space.first + i] = plan.axes[i].out_size;
    if (plan.axes[i].in_size > std::numeric_limits<int>::max()) {
      return invalid_argument("{} is too large to be resized", in.to_string());
    }
  }
  if (!plan.out.shape.checked_volume() || plan.space.channels > std::numeric_limits<int>::max()) {
    return invalid_argument("the resized image of shape {} would be too large", plan.out.shape.to_string());
  }
  return plan.is_pillow ? check_pillow(plan, dtype) : ok_status();
}

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

Status Resize::prepare(const Arguments& arguments) const {
  FOREBAY_RETURN_IF_ERROR(check_resample(*this));
  return check_size(arguments);
}

Result<ResizePlan> Resize::plan(const Sample& sample, const TensorSpec& in) const {
  ResizePlan plan;
  FOREBAY_ASSIGN_OR_RETURN(plan.space, find_spatial_axes(in));
  FOREBAY_RETURN_IF_ERROR(set_axes(sample, *this, in, plan));
  FOREBAY_RETURN_IF_ERROR(complete_plan(sample, *this, in, plan));
  return plan;
}

Status Resize::run(Sample& sample) const {
  const TensorSpec& in = sample.input(0).spec();
  FOREBAY_ASSIGN_OR_RETURN(const ResizePlan resize, plan(sample, in));
  if (save_attrs) {
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView sizes,
                             sample.output(1, {Shape{resize.space.count}, DType::kInt32, {}}));
    for (int i = 0; i < resize.space.count; ++i) {
      sizes.as<int32_t>()[i] = static_cast<int32_t>(resize.axes[i].in_size);
    }
  }
  return run_resize(sample, resize);
}

OperatorSpec resize() {
  return describe<Resize>("resize", "Resizes images, volumes and sequences.")
      .group([](auto& description) { add_resize(description); })
      .matches(
          "DALI fn.resize; numerics=\"pillow\": PIL.Image.resize; \"torchvision\": its resize of tensors")
      .build();
}

}  // namespace forebay::operators
