// Where the pixels of a row come from, for remap(): loops apart from their operators, so that they become
// vectors.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace forebay::kernels {

/// Three rows of three numbers.
using Homography = std::array<double, 9>;

/// Through a perspective map; what lies at infinity comes from (0, 0).
void perspective_row(const Homography& map, int64_t y, std::span<float> xs, std::span<float> ys);

/// As if on a ball that fills the image.
void sphere_row(int64_t height, int64_t width, int64_t y, std::span<float> xs, std::span<float> ys);

}  // namespace forebay::kernels
