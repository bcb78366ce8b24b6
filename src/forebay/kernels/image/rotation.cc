#include "forebay/kernels/image/rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace forebay::kernels {

float radians(float degrees) {
  return degrees * static_cast<float>(std::numbers::pi / 180);
}

AffineMatrix rotation_in_plane(float radians) {
  const float cosine = std::cos(radians);
  const float sine = std::sin(radians);
  return AffineMatrix::of_rows(2, std::array{cosine, -sine, 0.0f, sine, cosine, 0.0f});
}

AffineMatrix rotation_about(std::span<const float> axis, float radians, RotationDiagonal diagonal) {
  const float length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const std::array<float, 3> u{axis[0] / length, axis[1] / length, axis[2] / length};
  const float cosine = std::cos(radians);
  const float sine = std::sin(radians);
  AffineMatrix matrix(3);
  for (int i = 0; i < 3; ++i) {
    const int next = (i + 1) % 3;
    const int after = (i + 2) % 3;
    matrix.at(i, i) = diagonal == RotationDiagonal::kSquares
                          ? u[i] * u[i] + (u[next] * u[next] + u[after] * u[after]) * cosine
                          : u[i] * u[i] * (1 - cosine) + cosine;
    matrix.at(i, next) = u[i] * u[next] * (1 - cosine) - u[after] * sine;
    matrix.at(i, after) = u[i] * u[after] * (1 - cosine) + u[next] * sine;
  }
  return matrix;
}

RotatedCanvas::RotatedCanvas(std::span<const int64_t> size) : image_size_(size) {
}

void RotatedCanvas::add(float angle_degrees, std::span<const float> axis) {
  const int n = static_cast<int>(image_size_.size());
  const float angle = radians(angle_degrees);
  // How much each input extent contributes to an output extent; in double, so that there is no tie at 45
  // degrees.
  std::array<std::array<double, 3>, 3> shares{};
  if (n == 2) {
    const double cosine = std::abs(std::cos(static_cast<double>(angle)));
    const double sine = std::abs(std::sin(static_cast<double>(angle)));
    shares[0] = {cosine, sine, 0};
    shares[1] = {sine, cosine, 0};
  } else {
    const AffineMatrix turn = rotation_about(axis, angle, RotationDiagonal::kSquares);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        shares[i][j] = std::abs(turn.at(i, j));
      }
    }
  }
  for (int i = 0; i < n; ++i) {  // i counts x, y, z; sizes are in reverse order
    double extent = 0;
    int dominant = i;
    for (int j = 0; j < n; ++j) {
      extent += shares[i][j] * static_cast<double>(image_size_[n - 1 - j]);
      dominant = shares[i][j] > shares[i][dominant] ? j : dominant;
    }
    const auto rounded = static_cast<int64_t>(std::ceil(extent - 0.01));
    extents_[n - 1 - i] = std::max(extents_[n - 1 - i], rounded);
    times_odd_[n - 1 - i] += image_size_[n - 1 - dominant] % 2;
  }
  ++angles_;
}

std::vector<int64_t> RotatedCanvas::size() const {
  std::vector<int64_t> size(image_size_.begin(), image_size_.end());
  for (size_t i = 0; i < size.size() && angles_ > 0; ++i) {
    const bool is_odd = 2 * times_odd_[i] > angles_;  // the parity of the dominant input extent blurs less
    size[i] = extents_[i] + (extents_[i] % 2 == (is_odd ? 1 : 0) ? 0 : 1);
  }
  return size;
}

Result<AffineMatrix> rotation_map(std::span<const int64_t> in_size, std::span<const int64_t> out_size,
                                  float angle_degrees, std::span<const float> axis) {
  const int n = static_cast<int>(in_size.size());
  if ((n != 2 && n != 3) || out_size.size() != in_size.size() || (n == 3 && axis.size() != 3)) {
    return invalid_argument("a rotation has 2 extents, or 3 and an axis of 3; not {}, {} and {}",
                            in_size.size(), out_size.size(), axis.size());
  }
  if (n == 3 && axis[0] == 0 && axis[1] == 0 && axis[2] == 0) {
    return invalid_argument("a rotation's axis must not be 0");
  }
  const float angle = radians(angle_degrees);
  AffineMatrix map =
      n == 2 ? rotation_in_plane(angle) : rotation_about(axis, -angle, RotationDiagonal::kSquares);
  for (int i = 0; i < n; ++i) {
    float translation = 0;
    for (int j = 0; j < n; ++j) {
      translation += map.at(i, j) * (-0.5f * static_cast<float>(out_size[n - 1 - j]));
    }
    map.at(i, n) = translation + 0.5f * static_cast<float>(in_size[n - 1 - i]);
  }
  return map;
}

}  // namespace forebay::kernels
