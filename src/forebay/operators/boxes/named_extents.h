// Extents of images and windows, which arguments give in the order that a layout names.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::operators {

/// Extents in the order x, y, z.
using WindowShape = std::array<float, 3>;

/// Those extents of `given`, whose axes have the names `order`, that `letters` (of "WHD") name, in its order;
/// 1 for the others. invalid_argument, which speaks of the argument `name`, unless each of them is there and
/// from 1 to 2^24, which a float holds.
Result<WindowShape> named_extents(std::string_view name, std::span<const int64_t> given,
                                  std::string_view order, std::string_view letters);

}  // namespace forebay::operators
