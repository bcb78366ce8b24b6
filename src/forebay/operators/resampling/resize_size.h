// Arguments for the size that a resize gives and the region that it shows, in the ways of DALI's resize.
#pragma once

#include <string>
#include <vector>

#include "forebay/operators/arg.h"
#include "forebay/operators/parameter.h"
#include "forebay/operators/resampling/resize_plan.h"

namespace forebay::operators {

/// The requested size, the mode and the region of interest.
struct ResizeSizeArguments {
  Arg<std::vector<float>> size;
  Arg<float> resize_x = 0.0F;
  Arg<float> resize_y = 0.0F;
  Arg<float> resize_z = 0.0F;
  Arg<float> resize_shorter = 0.0F;
  Arg<float> resize_longer = 0.0F;
  std::string mode = "default";
  std::vector<float> max_size;
  bool subpixel_scale = true;
  Arg<std::vector<float>> roi_start;
  Arg<std::vector<float>> roi_end;
  bool roi_relative = false;

  /// invalid_argument for arguments that exclude each other, and for impossible limits.
  Status check_size(const Arguments& arguments) const;
};

/// Sets input size, output size and region of the axes in `plan.space`.
Status set_axes(const Sample& sample, const ResizeSizeArguments& arguments, const TensorSpec& in,
                ResizePlan& plan);

template <class Description>
void add_resize_size_arguments(Description& description) {
  using A = ResizeSizeArguments;
  description
      .param("size", &A::size,
             "Size of the output, an entry an axis of space (HW, DHW), or one for all; 0: not given.")
      .param("resize_x", &A::resize_x, "Width of the output; negative mirrors. Instead of `size`.")
      .param("resize_y", &A::resize_y, "Height of the output; negative mirrors.")
      .param("resize_z", &A::resize_z, "Depth of the output; negative mirrors.")
      .param("resize_shorter", &A::resize_shorter,
             "Size of the shortest side; the ratio of the sides is kept.")
      .param("resize_longer", &A::resize_longer, "Size of the longest side; the ratio of the sides is kept.")
      .param(
          "mode", &A::mode,
          "What becomes of sides that are not given, and whether the ratio is kept: `default` scales missing "
          "ones "
          "by the mean of the others, `stretch` leaves them, `not_larger` and `not_smaller` keep the ratio.")
      .choices({"default", "stretch", "not_larger", "not_smaller"})
      .param("max_size", &A::max_size, "Largest output: one for all axes, or one each; 0: no limit.")
      .param("subpixel_scale", &A::subpixel_scale,
             "Where the size is rounded, adjusts the region of the input so that the scale stays as asked.")
      .param("roi_start", &A::roi_start,
             "First corner of the part of the input that is shown, in order of the shape.")
      .param("roi_end", &A::roi_end, "Last corner of that part; before roi_start on an axis: mirrored.")
      .param("roi_relative", &A::roi_relative, "The corners are relative to the input's size.");
}

}  // namespace forebay::operators
