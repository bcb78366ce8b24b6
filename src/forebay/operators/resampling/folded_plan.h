// Any axes of any tensor, folded into the few neighbours that a resize works on: what comes before them is
// blocks, what comes behind them channels.
#pragma once

#include <span>

#include "forebay/operators/resampling/resize_plan.h"

namespace forebay::operators {

/// A plan, without filters and output, for a tensor of `shape` whose axes become `resized`: of the axes from
/// the first to the last that changes. invalid_argument if these are more than three, or if there are no
/// axes.
Result<ResizePlan> folded_plan(const Shape& shape, std::span<const ResizedAxis> resized);

/// A tensor of `in` as that plan sees it.
TensorSpec folded_spec(const TensorSpec& in, const ResizePlan& plan);

}  // namespace forebay::operators
