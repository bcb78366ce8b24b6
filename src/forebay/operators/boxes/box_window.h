// The search for a window that keeps enough of the boxes: Liu et al., "SSD: Single Shot MultiBox Detector",
// ECCV 2016, section 2.2 (data augmentation), in its general form.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/operators/boxes/boxes.h"

namespace forebay::operators {

/// What a window must keep.
struct WindowRules {
  /// One is drawn, each as likely as another, whenever `attempts` windows have failed.
  std::vector<float> thresholds{0.0f};
  /// Whether taking everything is one more thing that may be drawn.
  bool may_take_all = true;
  /// Whether the threshold is for the part of a box that is in the window; else for what box and window share
  /// as part of what they cover together.
  bool measures_part = false;
  /// Whether all boxes must reach the threshold; else one.
  bool needs_all = true;
  /// The part of a box that must be in the window for the box to stay; without it, its centre must be.
  std::optional<float> least_part;
  int64_t attempts = 1;
  /// After so many windows the best is taken. Without it they go on, up to kMaxWindows.
  std::optional<int64_t> total_attempts;

  Status check() const;
};

inline constexpr int64_t kMaxWindows = 100'000;

struct BoxWindow {
  bool is_all = false;
  Box window;                           // in parts of the image
  memory::ScratchVector<int32_t> kept;  // which boxes stay
};

/// Draws a window in parts of the image; nullopt if what it drew is none, which counts as an attempt.
using WindowDraw = absl::FunctionRef<std::optional<Box>(RandomStream&)>;

/// `axes`: of the boxes. Where there are none everything is taken if it may be, else the first window.
/// out_of_range if no window was found and there is no best one to take.
Result<BoxWindow> find_window(std::span<const Box> boxes, int axes, const WindowRules& rules, WindowDraw draw,
                              RandomStream& stream);

/// The box as parts of the window, cut to it.
Box box_in_window(const Box& box, const Box& window);

/// Output `output`, n x layout.numbers(): the boxes that stay, within the window.
Status write_boxes_in_window(Sample& sample, int output, std::span<const Box> boxes, const BoxWindow& found,
                             const BoxLayout& layout);

}  // namespace forebay::operators
