// Arguments for filters and numerics of resampling, shared by all that resizes.
#pragma once

#include <optional>
#include <string>

#include "forebay/operators/arg.h"
#include "forebay/operators/resampling/resize_plan.h"
#include "forebay/operators/types.h"
#include "forebay/operators/value.h"

namespace forebay::operators {

struct ResampleArguments {
  Arg<InterpType> interp_type = InterpType::kLinear;
  Arg<InterpType> mag_filter = InterpType::kLinear;
  Arg<InterpType> min_filter = InterpType::kLinear;
  bool antialias = true;
  std::optional<DType> dtype;
  std::string numerics = "dali";
};

/// invalid_argument for a `dtype` that no resize gives.
Status check_resample(const ResampleArguments& arguments);

/// Sets the plan's filters, dtype and output spec; `plan.space` and `plan.axes` must be set.
Status complete_plan(const Sample& sample, const ResampleArguments& arguments, const TensorSpec& in,
                     ResizePlan& plan);

template <class Description>
void add_resample_arguments(Description& description) {
  using A = ResampleArguments;
  description.param("interp_type", &A::interp_type, "Filter, unless min_filter or mag_filter says otherwise.")
      .param("mag_filter", &A::mag_filter, "Filter where the output is larger.")
      .param("min_filter", &A::min_filter, "Filter where the output is smaller.")
      .param("antialias", &A::antialias, "Widens the filter by the scale where the output is smaller.")
      .param("dtype", &A::dtype, "Element type of the output: that of the input, or FLOAT.")
      .param(
          "numerics", &A::numerics,
          "Whose pixels are given: `dali`; `exact` (as `dali`, but places of nearest neighbours are not "
          "rounded); `torchvision` (nearest neighbours alone, as of tensors); `pillow` (whole images, always "
          "antialiased).")
      .choices({"dali", "exact", "torchvision", "pillow"})
      .ignored("minibatch_size", int64_t{32})
      .ignored("temp_buffer_hint", int64_t{0});
}

}  // namespace forebay::operators
