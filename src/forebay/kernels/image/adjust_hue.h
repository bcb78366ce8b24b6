// Turning the hue of one colour: to hue, saturation and value (Smith, "Color gamut transform pairs", SIGGRAPH
// 1978) and back, with torchvision's order of operations.
#pragma once

#include <algorithm>
#include <cmath>

namespace forebay::kernels {

/// Each 0 to 1.
struct Rgb {
  float red;
  float green;
  float blue;
};

/// In turns, 0 to 1; 0 for greys.
inline float hue_of(const Rgb& rgb, float least, float most) {
  const float divisor = most == least ? 1.0f : most - least;
  const float red = (most - rgb.red) / divisor;
  const float green = (most - rgb.green) / divisor;
  const float blue = (most - rgb.blue) / divisor;
  float sixths = (green + 4.0f) - red;
  if (most == rgb.red) {
    sixths = blue - green;
  } else if (most == rgb.green) {
    sixths = (red + 2.0f) - blue;
  }
  const float turns = sixths * (1.0f / 6.0f) + 1.0f;
  return turns >= 1.0f ? turns - 1.0f : turns;
}

inline Rgb rgb_of_hsv(float hue, float saturation, float value) {
  const float sixths = hue * 6.0f;
  const float sector = std::floor(sixths);
  const float part = saturation * (sixths - sector);
  const float rest = 1.0f - saturation;
  const float falling = std::clamp((1.0f - part) * value, 0.0f, 1.0f);
  const float rising = std::clamp((part + rest) * value, 0.0f, 1.0f);
  const float low = std::clamp(rest * value, 0.0f, 1.0f);
  const bool is_sector = sector >= 0.0f && sector < 6.0f;  // not so after rounding up to 6, and of NaN
  switch (is_sector ? static_cast<int>(sector) : 0) {
    case 0:
      return {value, rising, low};
    case 1:
      return {falling, value, low};
    case 2:
      return {low, value, rising};
    case 3:
      return {low, falling, value};
    case 4:
      return {rising, low, value};
    default:
      return {value, low, falling};
  }
}

/// `turn`: -0.5 to 0.5.
inline Rgb turned_hue(const Rgb& rgb, float turn) {
  const float least = std::min({rgb.red, rgb.green, rgb.blue});
  const float most = std::max({rgb.red, rgb.green, rgb.blue});
  const float saturation = (most - least) / (most == least ? 1.0f : most);
  const float hue = hue_of(rgb, least, most) + turn;
  const float wrapped = hue < 0.0f ? hue + 1.0f : hue >= 1.0f ? hue - 1.0f : hue;
  return rgb_of_hsv(wrapped, saturation, most);
}

}  // namespace forebay::kernels
