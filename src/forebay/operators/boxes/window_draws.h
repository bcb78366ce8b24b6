// How random_bbox_crop draws windows: by ranges of extents and ratios, or of a given shape.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "forebay/operators/boxes/boxes.h"
#include "forebay/operators/boxes/named_extents.h"

namespace forebay::operators {

class WindowDraws {
 public:
  /// `scaling` is [min, max], of extents as parts of the image's; `aspect_ratio` one such range or three, of
  /// x by y, x by z, y by z. invalid_argument for anything else.
  Status set(std::span<const float> scaling, std::span<const float> aspect_ratio);

  /// A window in parts of the image, of any shape that is in the ranges; nullopt if what was drawn is not.
  /// Ratios are those of the window on an image of that shape.
  std::optional<Box> draw_window(const WindowShape& image, int axes, RandomStream& random) const;

  /// A window of `crop` pixels at whole pixels of an image; over the image where it is larger.
  static Box draw_place(const WindowShape& image, const WindowShape& crop, int axes, RandomStream& random);

 private:
  struct Range {
    float least = 1;
    float most = 1;

    bool is_valid() const { return least >= 0 && least <= most; }
    bool is_fixed() const { return least == most; }
    bool contains(float value) const;
  };

  const Range& ratio_of(int axis, int other) const;
  bool has_ratios(const WindowShape& shape, int axes) const;
  void fix_ratios(int axes, RandomStream& random, WindowShape& shape) const;

  Range scaling_;
  std::vector<Range> ratios_;
};

}  // namespace forebay::operators
