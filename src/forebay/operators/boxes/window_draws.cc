#include "forebay/operators/boxes/window_draws.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace forebay::operators {

// A ratio of two floats that were made to have it is not always it to the last bit.
bool WindowDraws::Range::contains(float value) const {
  constexpr float kRoundingOfRatio = 1e-5f;
  return value >= least * (1 - kRoundingOfRatio) && value <= most * (1 + kRoundingOfRatio);
}

Status WindowDraws::set(std::span<const float> scaling, std::span<const float> aspect_ratio) {
  if (scaling.size() != 2 || !Range{scaling[0], scaling[1]}.is_valid()) {
    return invalid_argument("scaling is a range [min, max] with 0 <= min <= max");
  }
  scaling_ = {scaling[0], scaling[1]};
  if (aspect_ratio.size() != 2 && aspect_ratio.size() != 6) {
    return invalid_argument("aspect_ratio has {} numbers; it is a range, or three of them",
                            aspect_ratio.size());
  }
  for (size_t i = 0; i < aspect_ratio.size(); i += 2) {
    ratios_.push_back({aspect_ratio[i], aspect_ratio[i + 1]});
    if (!ratios_.back().is_valid() || ratios_.back().most <= 0) {
      return invalid_argument("aspect_ratio holds the range [{}, {}]; 0 <= min <= max is needed",
                              aspect_ratio[i], aspect_ratio[i + 1]);
    }
  }
  return ok_status();
}

Box WindowDraws::draw_place(const WindowShape& image, const WindowShape& crop, int axes,
                            RandomStream& random) {
  Box window;
  window.axes = axes;
  for (int axis = 0; axis < axes; ++axis) {
    const float room = image[axis] - crop[axis];
    const auto places = static_cast<uint64_t>(std::fabs(room)) + 1;
    const float start = std::min(room, 0.0f) + static_cast<float>(random.below(places));
    window.low[axis] = start / image[axis];
    window.high[axis] = crop[axis] / image[axis] + window.low[axis];
  }
  return window;
}

std::optional<Box> WindowDraws::draw_window(const WindowShape& image, int axes, RandomStream& random) const {
  if (std::isinf(scaling_.most)) {  // so are the extents, all but never
    return std::nullopt;
  }
  WindowShape shape{};
  for (int axis = 0; axis < axes; ++axis) {
    shape[axis] = random.uniform(scaling_.least, scaling_.most) * image[axis];
  }
  fix_ratios(axes, random, shape);
  if (!has_ratios(shape, axes)) {
    return std::nullopt;
  }
  Box window;
  window.axes = axes;
  for (int axis = 0; axis < axes; ++axis) {
    const float extent = shape[axis] / image[axis];
    window.low[axis] = random.uniform(std::min(0.0f, 1 - extent), std::max(0.0f, 1 - extent));
    window.high[axis] = window.low[axis] + extent;
  }
  return window;
}

/// The range for axis < other, by its place in xy, xz, yz.
const WindowDraws::Range& WindowDraws::ratio_of(int axis, int other) const {
  const auto pair = static_cast<size_t>(axis == 0 ? other - 1 : 2);
  return ratios_[pair % ratios_.size()];
}

bool WindowDraws::has_ratios(const WindowShape& shape, int axes) const {
  for (int axis = 0; axis < axes; ++axis) {
    for (int other = axis + 1; other < axes; ++other) {
      if (!ratio_of(axis, other).contains(shape[axis] / shape[other])) {
        return false;
      }
    }
  }
  return true;
}

/// Gives the shape the ratios that are fixed, axis after axis in an order that is drawn; its largest extent
/// stays.
void WindowDraws::fix_ratios(int axes, RandomStream& random, WindowShape& shape) const {
  if (std::ranges::none_of(ratios_, &Range::is_fixed)) {
    return;
  }
  std::array<int, 3> order{0, 1, 2};
  for (int i = axes - 1; i > 0; --i) {
    std::swap(order[i], order[random.below(static_cast<uint64_t>(i) + 1)]);
  }
  const auto largest = [&] { return *std::max_element(shape.begin(), shape.begin() + axes); };
  const float before = largest();
  for (int i = 0; i < axes; ++i) {
    for (int j = i + 1; j < axes; ++j) {
      const int from = order[i];
      const int to = order[j];
      const Range& range = ratio_of(std::min(from, to), std::max(from, to));
      if (range.is_fixed()) {
        shape[to] = shape[from] * (to < from ? range.least : 1 / range.least);
      }
    }
  }
  const float after = largest();
  for (float& extent : shape) {
    extent = after > 0 ? before * extent / after : 0;
  }
}

}  // namespace forebay::operators
