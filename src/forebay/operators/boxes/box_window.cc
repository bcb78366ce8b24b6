#include "forebay/operators/boxes/box_window.h"

#include <algorithm>
#include <numeric>

namespace forebay::operators {
namespace {

float least_or_most_overlap(const Box& window, std::span<const Box> boxes, const WindowRules& rules) {
  float result = boxes.empty() ? 0 : (rules.needs_all ? 2.0f : -1.0f);
  for (const Box& box : boxes) {
    const float overlap = rules.measures_part ? volume_of_overlap(window, box) / box.volume()
                                              : intersection_over_union(window, box);
    result = rules.needs_all ? std::min(result, overlap) : std::max(result, overlap);
  }
  return result;
}

bool stays(const Box& box, const Box& window, const WindowRules& rules) {
  if (!rules.least_part) {
    return window.holds_center_of(box);
  }
  const float shared = volume_of_overlap(window, box);
  return shared > 0 && shared / box.volume() >= *rules.least_part;
}

void keep_boxes(std::span<const Box> boxes, const WindowRules& rules, BoxWindow& found) {
  found.kept.clear();
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (stays(boxes[i], found.window, rules)) {
      found.kept.push_back(static_cast<int32_t>(i));
    }
  }
}

BoxWindow everything(std::span<const Box> boxes, int axes) {
  BoxWindow all;
  all.is_all = true;
  all.window.axes = axes;
  std::fill_n(all.window.high.begin(), axes, 1.0f);
  all.kept.resize(boxes.size());
  std::iota(all.kept.begin(), all.kept.end(), 0);
  return all;
}

}  // namespace

Status WindowRules::check() const {
  if (thresholds.empty()) {
    return invalid_argument("thresholds is empty; at least one is needed");
  }
  for (const float threshold : thresholds) {
    if (!(threshold >= 0 && threshold <= 1)) {
      return invalid_argument("thresholds holds {}; it must be in [0, 1]", threshold);
    }
  }
  if (least_part && !(*least_part >= 0 && *least_part <= 1)) {
    return invalid_argument("bbox_prune_threshold is {}; it must be in [0, 1]", *least_part);
  }
  if (attempts < 1 || (total_attempts && *total_attempts < 1)) {
    return invalid_argument("the numbers of attempts are {} and {}; at least 1 is needed", attempts,
                            total_attempts.value_or(attempts));
  }
  return ok_status();
}

Result<BoxWindow> find_window(std::span<const Box> boxes, int axes, const WindowRules& rules, WindowDraw draw,
                              RandomStream& stream) {
  const size_t choices = rules.thresholds.size() + (rules.may_take_all ? 1 : 0);
  const bool is_bounded = rules.total_attempts.has_value();
  const int64_t most = rules.total_attempts.value_or(kMaxWindows);
  if (boxes.empty() && !is_bounded && rules.may_take_all) {
    return everything(boxes, axes);
  }
  BoxWindow best;
  float best_overlap = -1;
  size_t choice = 0;
  for (int64_t attempt = 0; attempt < most; ++attempt) {
    if (attempt % rules.attempts == 0) {
      choice = static_cast<size_t>(stream.below(choices));
    }
    if (choice == rules.thresholds.size()) {
      return everything(boxes, axes);
    }
    const std::optional<Box> window = draw(stream);
    if (!window) {
      continue;
    }
    const float overlap = least_or_most_overlap(*window, boxes, rules);
    const bool is_valid = overlap >= rules.thresholds[choice];
    if (!is_valid && !(overlap > best_overlap)) {
      continue;
    }
    best_overlap = overlap;
    best.window = *window;
    keep_boxes(boxes, rules, best);
    if ((is_valid && !best.kept.empty()) || (boxes.empty() && !is_bounded)) {
      return best;
    }
  }
  if (best_overlap >= 0 && is_bounded) {
    return best;
  }
  return out_of_range("{} windows were drawn, and none is what the arguments ask for{}", most,
                      is_bounded ? "; none has the aspect ratio" : "; `total_num_attempts` takes the best");
}

Box box_in_window(const Box& box, const Box& window) {
  Box moved;
  moved.axes = box.axes;
  for (int axis = 0; axis < box.axes; ++axis) {
    const float extent = window.extent(axis);
    moved.low[axis] = std::clamp((box.low[axis] - window.low[axis]) / extent, 0.0f, 1.0f);
    moved.high[axis] = std::clamp((box.high[axis] - window.low[axis]) / extent, 0.0f, 1.0f);
  }
  return moved;
}

Status write_boxes_in_window(Sample& sample, int output, std::span<const Box> boxes, const BoxWindow& found,
                             const BoxLayout& layout) {
  const TensorSpec spec{{static_cast<int64_t>(found.kept.size()), layout.numbers()}, DType::kFloat, {}};
  FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out, sample.output(output, spec));
  float* row = out.as<float>();
  for (const int32_t kept : found.kept) {
    layout.write(box_in_window(boxes[static_cast<size_t>(kept)], found.window), row);
    row += layout.numbers();
  }
  return ok_status();
}

}  // namespace forebay::operators
