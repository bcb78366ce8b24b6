#include "forebay/kernels/image/affine_matrix.h"

#include <cmath>
#include <utility>

namespace forebay::kernels {
namespace {

/// Sets the left 2 x 2 part of `inverse`; false if that of `m` is singular.
bool invert_2x2(const AffineMatrix& m, AffineMatrix& inverse) {
  const float determinant = m.at(0, 0) * m.at(1, 1) - m.at(0, 1) * m.at(1, 0);
  if (!std::isfinite(1 / determinant)) {
    return false;
  }
  inverse.at(0, 0) = m.at(1, 1) / determinant;
  inverse.at(0, 1) = -m.at(0, 1) / determinant;
  inverse.at(1, 0) = -m.at(1, 0) / determinant;
  inverse.at(1, 1) = m.at(0, 0) / determinant;
  return true;
}

void swap_rows_of_3(AffineMatrix& m, int a, int b) {
  for (int j = 0; j < 3; ++j) {
    std::swap(m.at(a, j), m.at(b, j));
  }
}

/// The same of 3 x 3, by Gauss-Jordan elimination with the largest pivot of each column; `inverse` comes in
/// as the identity.
bool invert_3x3(AffineMatrix m, AffineMatrix& inverse) {
  for (int column = 0; column < 3; ++column) {
    int pivot = column;
    for (int row = column + 1; row < 3; ++row) {
      pivot = std::abs(m.at(row, column)) > std::abs(m.at(pivot, column)) ? row : pivot;
    }
    swap_rows_of_3(m, column, pivot);
    swap_rows_of_3(inverse, column, pivot);
    const float reciprocal = 1 / m.at(column, column);
    if (!std::isfinite(reciprocal)) {
      return false;
    }
    for (int j = 0; j < 3; ++j) {
      m.at(column, j) *= reciprocal;
      inverse.at(column, j) *= reciprocal;
    }
    for (int row = 0; row < 3; ++row) {
      if (row == column) {
        continue;
      }
      const float factor = m.at(row, column);
      for (int j = 0; j < 3; ++j) {
        m.at(row, j) -= m.at(column, j) * factor;
        inverse.at(row, j) -= inverse.at(column, j) * factor;
      }
    }
  }
  return true;
}

}  // namespace

AffineMatrix AffineMatrix::of_rows(int dimensions, std::span<const float> rows) {
  AffineMatrix matrix(dimensions);
  for (int i = 0; i < dimensions; ++i) {
    for (int j = 0; j <= dimensions; ++j) {
      matrix.at(i, j) = rows[static_cast<size_t>(i * (dimensions + 1) + j)];
    }
  }
  return matrix;
}

void AffineMatrix::keep(std::span<const float> center) {
  if (center.empty()) {
    return;
  }
  const auto coordinate = [&](int i) { return center[center.size() == 1 ? 0 : static_cast<size_t>(i)]; };
  for (int i = 0; i < dimensions_; ++i) {
    float moved = 0;
    for (int j = 0; j < dimensions_; ++j) {
      moved += at(i, j) * coordinate(j);
    }
    at(i, dimensions_) = coordinate(i) - moved;
  }
}

AffineMatrix AffineMatrix::composed(const AffineMatrix& after, const AffineMatrix& before) {
  const int dimensions = after.dimensions_;
  AffineMatrix result(dimensions);
  for (int i = 0; i < dimensions; ++i) {
    for (int j = 0; j <= dimensions; ++j) {
      float sum = j == dimensions ? after.at(i, dimensions) : 0;
      for (int k = 0; k < dimensions; ++k) {
        sum += after.at(i, k) * before.at(k, j);
      }
      result.at(i, j) = sum;
    }
  }
  return result;
}

Result<AffineMatrix> AffineMatrix::inverted() const {
  const int n = dimensions_;
  AffineMatrix inverse(n);
  const bool is_regular = (n == 2 && invert_2x2(*this, inverse)) || (n == 3 && invert_3x3(*this, inverse));
  if (!is_regular) {
    return invalid_argument("the affine map cannot be inverted");
  }
  for (int i = 0; i < n; ++i) {
    float translation = 0;
    for (int j = 0; j < n; ++j) {
      translation += inverse.at(i, j) * at(j, n);
    }
    inverse.at(i, n) = -translation;
  }
  return inverse;
}

void AffineMatrix::write(std::span<float> to) const {
  for (int i = 0; i < dimensions_; ++i) {
    for (int j = 0; j <= dimensions_; ++j) {
      to[static_cast<size_t>(i * (dimensions_ + 1) + j)] = at(i, j);
    }
  }
}

}  // namespace forebay::kernels
