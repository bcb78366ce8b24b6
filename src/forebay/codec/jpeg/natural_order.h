// The order of the coefficients in a JPEG file.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace forebay::codec {

/// Maps file order to block order (ITU-T T.81 figure A.6). Places past the end of the block, if any, map to
/// the last coefficient.
template <size_t kPlaces>
constexpr std::array<uint8_t, kPlaces> natural_order() {
  constexpr int kSide = 8;
  std::array<uint8_t, kPlaces> order{};
  order.fill(kSide * kSide - 1);
  int y = 0;
  int x = 0;
  for (int i = 0; i < kSide * kSide; ++i) {
    order[i] = static_cast<uint8_t>(y * kSide + x);
    const bool goes_up = (y + x) % 2 == 0;
    const bool is_at_right = x == kSide - 1;
    const bool is_at_bottom = y == kSide - 1;
    if (goes_up) {
      y = is_at_right ? y + 1 : std::max(y - 1, 0);
      x = is_at_right ? x : x + 1;
    } else {
      x = is_at_bottom ? x + 1 : std::max(x - 1, 0);
      y = is_at_bottom ? y : y + 1;
    }
  }
  return order;
}

}  // namespace forebay::codec
