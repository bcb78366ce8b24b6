// Axes as users name them: by number, from the end when negative, or by the letters of a layout.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "forebay/operators/sample.h"

namespace forebay::operators {

/// Axis `axis` of `rank`, negative from the end; out_of_range when there is none.
Result<int> resolved_axis(int64_t axis, int rank);

/// All of `axes`, each at most once, in the order given.
Result<std::vector<int>> resolved_axes(std::span<const int64_t> axes, int rank);

/// The axes that carry the letters `names` in `layout`; invalid_argument when one is missing.
Result<std::vector<int>> named_axes(std::string_view names, const Layout& layout);

/// The letters of `layout` but for the axes in `removed` (ascending or not); empty stays empty.
Layout layout_without(const Layout& layout, std::span<const int> removed);

/// `name` put before axis `axis` of `layout`.
Layout layout_with(const Layout& layout, int axis, char name);

}  // namespace forebay::operators
