// Arguments that place a window by its size and relative position: crop, crop_w, crop_pos_x, ... Shared by
// crop, crop_mirror_normalize, decoders.image_crop and resize_crop_mirror.
#pragma once

#include <string>
#include <vector>

#include "forebay/operators/arg.h"
#include "forebay/operators/windows/tensor_window.h"

namespace forebay::operators {

struct CropArguments {
  Arg<std::vector<float>> crop;
  Arg<float> crop_d = 0.0F;
  Arg<float> crop_h = 0.0F;
  Arg<float> crop_w = 0.0F;
  Arg<float> crop_pos_x = 0.5F;
  Arg<float> crop_pos_y = 0.5F;
  Arg<float> crop_pos_z = 0.5F;
  std::string rounding = "round";

  /// invalid_argument for arguments that exclude each other.
  Status check() const;
  /// Whether a size is given; without one the window is the whole input.
  bool is_given() const { return crop.is_given() || crop_h.is_given(); }

  /// The window for a sample of that shape and layout (axes H and W, and for a third extent D or else F).
  /// Sizes are truncated to integers; 0 takes the whole axis. anchor = position x (extent - size).
  Result<TensorWindow> window(const Sample& sample, const Shape& shape, const Layout& layout) const;
};

/// Adds them to an operator whose struct derives from CropArguments.
template <class Description>
void add_crop_arguments(Description& description) {
  using A = CropArguments;
  description
      .param("crop", &A::crop, "Size of the window: (height, width), or (depth, height, width) for volumes.")
      .param("crop_d", &A::crop_d, "Depth of the window, with crop_h and crop_w; instead of `crop`.")
      .param("crop_h", &A::crop_h, "Height of the window, with crop_w; instead of `crop`.")
      .param("crop_w", &A::crop_w, "Width of the window, with crop_h; instead of `crop`.")
      .param("crop_pos_x", &A::crop_pos_x, "Place of the window from left (0) to right (1).")
      .param("crop_pos_y", &A::crop_pos_y, "Place of the window from top (0) to bottom (1).")
      .param("crop_pos_z", &A::crop_pos_z, "Place of the window from front (0) to back (1), for volumes.")
      .param("rounding", &A::rounding, "How the corner of the window becomes a whole number.")
      .choices({"round", "truncate"});
}

}  // namespace forebay::operators
