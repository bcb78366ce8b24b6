// Matrices of three rows of three numbers: of colours, and of perspective maps.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

namespace forebay::kernels {

template <class T>
using Matrix3 = std::array<std::array<T, 3>, 3>;

template <class T>
Matrix3<T> product(const Matrix3<T>& a, const Matrix3<T>& b) {
  Matrix3<T> result{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t k = 0; k < 3; ++k) {
        result[i][j] += a[i][k] * b[k][j];
      }
    }
  }
  return result;
}

/// By cofactors, in double; nullopt if there is none.
template <class T>
std::optional<Matrix3<T>> inverse_of(const Matrix3<T>& m) {
  const auto cofactor = [&](size_t row, size_t column) {
    const std::array<T, 3>& upper = m[(row + 1) % 3];
    const std::array<T, 3>& lower = m[(row + 2) % 3];
    const size_t left = (column + 1) % 3;
    const size_t right = (column + 2) % 3;
    return static_cast<double>(upper[left]) * lower[right] - static_cast<double>(upper[right]) * lower[left];
  };
  const double determinant = m[0][0] * cofactor(0, 0) + m[0][1] * cofactor(0, 1) + m[0][2] * cofactor(0, 2);
  if (!std::isfinite(1 / determinant)) {
    return std::nullopt;
  }
  Matrix3<T> inverse{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      inverse[i][j] = static_cast<T>(cofactor(j, i) / determinant);
    }
  }
  return inverse;
}

}  // namespace forebay::kernels
