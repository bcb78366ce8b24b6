// All in float and in DALI's order of operations, because a map's rounding decides which neighbour is
// nearest.
#include "forebay/kernels/image/affine_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace forebay::kernels {
namespace {

// Rodrigues' formula, for columns (x, y, z).
using Turn = std::array<std::array<float, 3>, 3>;

Turn rotation_about(std::span<const float> axis, float angle) {
  const float length = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const std::array<float, 3> u{axis[0] / length, axis[1] / length, axis[2] / length};
  const float c = std::cos(angle);
  const float s = std::sin(angle);
  Turn matrix{};
  for (int i = 0; i < 3; ++i) {
    const int next = (i + 1) % 3;
    const int after = (i + 2) % 3;
    matrix[i][i] = u[i] * u[i] + (u[next] * u[next] + u[after] * u[after]) * c;
    matrix[i][next] = u[i] * u[next] * (1 - c) - u[after] * s;
    matrix[i][after] = u[i] * u[after] * (1 - c) + u[next] * s;
  }
  return matrix;
}

float radians(float degrees) {
  return degrees * static_cast<float>(std::numbers::pi / 180);
}

using Rows = std::array<std::array<float, 4>, 3>;

// Inverts the left 2 x 2 part; false if it is singular.
bool invert_2x2(const Rows& m, Rows& inverse) {
  const float determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  if (!std::isfinite(1 / determinant)) {
    return false;
  }
  inverse[0] = {m[1][1] / determinant, -m[0][1] / determinant, 0, 0};
  inverse[1] = {-m[1][0] / determinant, m[0][0] / determinant, 0, 0};
  return true;
}

// Inverts the left 3 x 3 part by Gauss-Jordan elimination with the largest pivot of each column.
bool invert_3x3(Rows m, Rows& inverse) {
  inverse = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
  for (int column = 0; column < 3; ++column) {
    int pivot = column;
    for (int row = column + 1; row < 3; ++row) {
      pivot = std::abs(m[row][column]) > std::abs(m[pivot][column]) ? row : pivot;
    }
    std::swap(m[column], m[pivot]);
    std::swap(inverse[column], inverse[pivot]);
    const float reciprocal = 1 / m[column][column];
    if (!std::isfinite(reciprocal)) {
      return false;
    }
    for (int j = 0; j < 3; ++j) {
      m[column][j] *= reciprocal;
      inverse[column][j] *= reciprocal;
    }
    for (int row = 0; row < 3; ++row) {
      if (row == column) {
        continue;
      }
      const float factor = m[row][column];
      for (int j = 0; j < 3; ++j) {
        m[row][j] -= m[column][j] * factor;
        inverse[row][j] -= inverse[column][j] * factor;
      }
    }
  }
  return true;
}

}  // namespace

Result<AffineMap> inverted(const AffineMap& map) {
  const int n = map.dimensions;
  AffineMap inverse{.dimensions = n, .matrix = {}};
  const bool is_regular =
      n == 2 ? invert_2x2(map.matrix, inverse.matrix) : invert_3x3(map.matrix, inverse.matrix);
  if (!is_regular) {
    return invalid_argument("the affine map cannot be inverted");
  }
  for (auto& row : std::span(inverse.matrix).first(n)) {
    float translation = 0;
    for (int j = 0; j < n; ++j) {
      translation += row[j] * map.matrix[j][n];
    }
    row[n] = -translation;
  }
  return inverse;
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
    const Turn turn = rotation_about(axis, angle);
    for (int i = 0; i < 3; ++i) {
      std::ranges::transform(turn[i], shares[i].begin(), [](float share) { return std::abs(share); });
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

Result<AffineMap> rotation_map(std::span<const int64_t> in_size, std::span<const int64_t> out_size,
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
  Turn turn{};
  if (n == 2) {
    turn[0] = {std::cos(angle), -std::sin(angle), 0};
    turn[1] = {std::sin(angle), std::cos(angle), 0};
  } else {
    turn = rotation_about(axis, -angle);
  }
  AffineMap map{.dimensions = n, .matrix = {}};
  for (int i = 0; i < n; ++i) {
    float translation = 0;
    for (int j = 0; j < n; ++j) {
      map.matrix[i][j] = turn[i][j];
      translation += turn[i][j] * (-0.5f * static_cast<float>(out_size[n - 1 - j]));
    }
    map.matrix[i][n] = translation + 0.5f * static_cast<float>(in_size[n - 1 - i]);
  }
  return map;
}

}  // namespace forebay::kernels
