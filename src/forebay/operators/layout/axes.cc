#include "forebay/operators/layout/axes.h"

#include <algorithm>
#include <string>

namespace forebay::operators {

Result<int> resolved_axis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return out_of_range("Axis index out of range: axis {} of a tensor with {} axes; give one from {} to {}",
                        axis, rank, -rank, rank - 1);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<std::vector<int>> resolved_axes(std::span<const int64_t> axes, int rank) {
  std::vector<int> resolved;
  for (const int64_t axis : axes) {
    FOREBAY_ASSIGN_OR_RETURN(const int found, resolved_axis(axis, rank));
    if (std::ranges::find(resolved, found) != resolved.end()) {
      return invalid_argument("axis {} is named twice", found);
    }
    resolved.push_back(found);
  }
  return resolved;
}

Result<std::vector<int>> named_axes(std::string_view names, const Layout& layout) {
  std::vector<int> axes;
  for (const char name : names) {
    const int axis = layout.find(name);
    if (axis < 0) {
      return invalid_argument(
          "there is no axis '{}' in the layout '{}'; give the input a layout or name axes by number", name,
          layout.view());
    }
    if (std::ranges::find(axes, axis) != axes.end()) {
      return invalid_argument("axis '{}' is named twice", name);
    }
    axes.push_back(axis);
  }
  return axes;
}

Layout layout_without(const Layout& layout, std::span<const int> removed) {
  std::string names;
  for (int axis = 0; axis < layout.size(); ++axis) {
    if (std::ranges::find(removed, axis) == removed.end()) {
      names += layout[axis];
    }
  }
  return Layout(names);
}

Layout layout_with(const Layout& layout, int axis, char name) {
  std::string names = layout.to_string();
  names.insert(static_cast<size_t>(axis), 1, name);
  return Layout(names);
}

}  // namespace forebay::operators
