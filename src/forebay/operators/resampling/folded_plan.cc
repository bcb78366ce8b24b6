#include "forebay/operators/resampling/folded_plan.h"

#include <algorithm>
#include <utility>

namespace forebay::operators {
namespace {

constexpr int kMaxResizedAxes = 3;
constexpr int64_t kMaxChannels = 1 << 24;  // that resample() takes

bool is_changed(const ResizedAxis& axis) {
  return axis.out_size != axis.in_size || axis.lo != 0 || axis.hi != static_cast<float>(axis.in_size);
}

/// Where axes[0] alone changes: it is resized as rows, or as columns where no axis is behind it, as DALI
/// does.
void set_other_axis(const Shape& shape, int end, ResizePlan& plan) {
  plan.axes[1] = {1, 1, 0, 1};
  if (end == shape.rank()) {
    std::swap(plan.axes[0], plan.axes[1]);
  } else if (plan.space.channels > kMaxChannels) {
    const int64_t columns = shape[end];
    plan.axes[1] = {columns, columns, 0, static_cast<float>(columns)};
    plan.space.channels /= columns;
  }
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
  if (end - begin > kMaxResizedAxes) {
    return invalid_argument("the axes {} to {} change; at most {} neighbours are resized at once", begin,
                            end - 1, kMaxResizedAxes);
  }
  ResizePlan plan;
  plan.space.first = 1;
  plan.space.count = std::max(end - begin, 2);
  plan.space.outer = shape.volume(0, begin);
  plan.space.channels = shape.volume(end, shape.rank());
  std::copy(resized.begin() + begin, resized.begin() + end, plan.axes.begin());
  if (end - begin == 1) {
    set_other_axis(shape, end, plan);
  }
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
