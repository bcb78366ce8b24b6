#include "forebay/operators/layout/image_axes.h"

namespace forebay::operators {

Layout layout_or_guess(const TensorSpec& spec, Layout rank4) {
  if (!spec.layout.empty()) {
    return spec.layout;
  }
  switch (spec.shape.rank()) {
    case 2:
      return "HW";
    case 3:
      return "HWC";
    case 4:
      return rank4;
    default:
      return {};
  }
}

Result<SpatialAxes> find_spatial_axes(const TensorSpec& spec, Layout rank4) {
  SpatialAxes axes;
  axes.layout = layout_or_guess(spec, rank4);
  const Layout& layout = axes.layout;
  const int rank = spec.shape.rank();
  const int height = layout.find('H');
  const bool is_valid =
      layout.size() == rank && height >= 0 && height + 1 < rank && layout[height + 1] == 'W';
  const bool has_depth = is_valid && layout.find('D') >= 0;
  axes.first = has_depth ? height - 1 : height;
  axes.count = has_depth ? 3 : 2;
  const int behind = rank - (height + 2);
  if (!is_valid || (has_depth && layout.find('D') != axes.first) || behind > 1 ||
      (behind == 1 && layout[rank - 1] != 'C')) {
    return invalid_argument(
        "an image of layout HWC, CHW, DHWC, CDHW or a sequence of such (F) is needed, not {} of layout '{}'; "
        "set the "
        "layout with fn.reshape or where the data enters",
        spec.to_string(), spec.layout.view());
  }
  axes.outer = spec.shape.volume(0, axes.first);
  axes.channels = behind == 1 ? spec.shape.back() : 1;
  return axes;
}

}  // namespace forebay::operators
