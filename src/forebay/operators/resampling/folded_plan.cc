#include "forebay/operators/resampling/folded_plan.h"

#include <algorithm>

namespace forebay::operators {
namespace {

constexpr int kMostResizedAxes = 3;

bool is_changed(const ResizedAxis& axis) {
  return axis.out_size != axis.in_size || axis.lo != 0 || axis.hi != static_cast<float>(axis.in_size);
}

}  // namespace

Result<ResizePlan> folded_plan(const Shape& shape, std::span<const ResizedAxis> resized) {
  if (resized.empty()) {
    return invalid_argument("a single number has no axes to resize");
  }
  const auto first = std::ranges::find_if(resized, is_changed);
  const auto last = std::find_if(resized.rbegin(), resized.rend(), is_changed).base();
  const int begin = static_cast<int>(first == resized.end() ? 0 : first - resized.begin());
  const int end = first == resized.end() ? 1 : static_cast<int>(last - resized.begin());
  if (end - begin > kMostResizedAxes) {
    return invalid_argument("the axes {} to {} change; at most {} neighbours are resized at once", begin,
                            end - 1, kMostResizedAxes);
  }
  ResizePlan plan;
  plan.space.first = 1;
  plan.space.count = std::max(end - begin, 2);
  plan.space.outer = shape.volume(0, begin);
  plan.space.channels = shape.volume(end, shape.rank());
  plan.axes[0] = {1, 1, 0, 1};  // what stands before a single axis
  if (end - begin == 1 && end < shape.rank()) {
    plan.column_place = plan.row_place;  // DALI takes the next axis for columns
  }
  std::copy(resized.begin() + begin, resized.begin() + end,
            plan.axes.begin() + (plan.space.count - (end - begin)));
  return plan;
}

TensorSpec folded_spec(const TensorSpec& in, const ResizePlan& plan) {
  TensorSpec folded{{plan.space.outer}, in.dtype, {}};
  for (int i = 0; i < plan.space.count; ++i) {
    folded.shape.push_back(plan.axes[static_cast<size_t>(i)].in_size);
  }
  folded.shape.push_back(plan.space.channels);
  return folded;
}

}  // namespace forebay::operators
