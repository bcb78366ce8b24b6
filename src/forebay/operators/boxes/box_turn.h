// How a box turns with its image: about the image's middle, onto a canvas whose middle is the same place.
#pragma once

#include <array>

#include "forebay/kernels/image/affine_matrix.h"
#include "forebay/operators/boxes/boxes.h"

namespace forebay::operators {

/// Width and height, in pixels.
using PlaneSize = std::array<float, 2>;

class BoxTurn {
 public:
  /// Counter-clockwise on the screen.
  BoxTurn(float degrees, PlaneSize image, PlaneSize canvas);

  /// The box about what `box` encloses once it is turned, in pixels of the canvas, perhaps beyond it. `box`
  /// is in pixels of the image, or in parts of it. `shrink`, from 0 to 1, takes back that part of what the
  /// box has grown by.
  Box turned(Box box, bool is_in_parts, float shrink) const;

  /// Cuts a turned box to the canvas; returns which part of it is left.
  float clip(Box& box) const;

 private:
  Box turned_about_middle(const Box& box) const;

  PlaneSize image_;
  PlaneSize canvas_;
  kernels::AffineMatrix turn_;  // from the canvas to the image
};

}  // namespace forebay::operators
