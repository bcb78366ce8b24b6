#include "forebay/kernels/image/map_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace forebay::kernels {

void perspective_row(const Matrix3<double>& map, int64_t y, std::span<float> xs, std::span<float> ys) {
  const auto v = static_cast<double>(y);
  const auto size = static_cast<int32_t>(xs.size());
  float* const to_x = xs.data();
  float* const to_y = ys.data();
  const auto [m0, m1, m2] = map[0];
  const auto [m3, m4, m5] = map[1];
  const auto [m6, m7, m8] = map[2];
  for (int32_t x = 0; x < size; ++x) {
    const auto u = static_cast<double>(x);
    const double w = m6 * u + m7 * v + m8;
    const double scale = 1 / (w == 0 ? std::numeric_limits<double>::infinity() : w);
    to_x[x] = static_cast<float>((m0 * u + m1 * v + m2) * scale);
    to_y[x] = static_cast<float>((m3 * u + m4 * v + m5) * scale);
  }
}

void sphere_row(int64_t height, int64_t width, int64_t y, std::span<float> xs, std::span<float> ys) {
  const float middle_x = static_cast<float>(width) * 0.5f;
  const float middle_y = static_cast<float>(height) * 0.5f;
  const float radius = std::trunc(std::max(middle_x, middle_y));
  const float down = static_cast<float>(y) + 0.5f - middle_y;
  const auto size = static_cast<int32_t>(xs.size());
  float* const to_x = xs.data();
  float* const to_y = ys.data();
  for (int32_t x = 0; x < size; ++x) {
    const float right = static_cast<float>(x) + 0.5f - middle_x;
    const float distance = std::sqrt(right * right + down * down) / radius;
    to_x[x] = middle_x + distance * right - 0.5f;
    to_y[x] = middle_y + distance * down - 0.5f;
  }
}

}  // namespace forebay::kernels
