// Where the pixels of a row come from, for remap(): loops apart from their operators, so that they become
// vectors.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/kernels/linear_algebra/matrix3.h"

namespace forebay::kernels {

/// Through a perspective map of (x, y, 1); what lies at infinity comes from (0, 0).
void perspective_row(const Matrix3<double>& map, int64_t y, std::span<float> xs, std::span<float> ys);

/// As if on a ball that fills the image.
void sphere_row(int64_t height, int64_t width, int64_t y, std::span<float> xs, std::span<float> ys);

}  // namespace forebay::kernels
