// Runs a planned resize.
#pragma once

#include "forebay/operators/resampling/resize_plan.h"

namespace forebay::operators {

/// Makes output 0 of `sample` from input 0, resized.
Status run_resize(Sample& sample, const ResizePlan& plan);

/// Resizes `in` into `out`.
Status resize_tensor(Sample& sample, const TensorView& in, const ResizePlan& plan,
                     const MutableTensorView& out);

}  // namespace forebay::operators
