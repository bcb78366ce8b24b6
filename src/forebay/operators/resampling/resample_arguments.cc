#include "forebay/operators/resampling/resample_arguments.h"

#include <limits>

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

}  // namespace forebay::operators
