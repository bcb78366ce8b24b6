// Axes as users name them: by number (negative from the end) or by the letters of a layout.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "forebay/operators/sample.h"

namespace forebay::operators {

/// Axis `axis` of `rank`, negative from the end; out_of_range if it does not exist.
Result<int> resolved_axis(int64_t axis, int rank);

/// All of `axes`, each at most once, in the order given.
Result<std::vector<int>> resolved_axes(std::span<const int64_t> axes, int rank);

/// The axes with the letters `names` in `layout`; invalid_argument if one is missing.
Result<std::vector<int>> named_axes(std::string_view names, const Layout& layout);

/// The letters of `layout` without the axes in `removed` (in any order); an empty layout stays empty.
Layout layout_without(const Layout& layout, std::span<const int> removed);

/// Inserts `name` before axis `axis` of `layout`.
Layout layout_with(const Layout& layout, int axis, char name);

}  // namespace forebay::operators
