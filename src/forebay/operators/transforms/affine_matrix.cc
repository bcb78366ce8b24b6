#include "forebay/operators/transforms/affine_matrix.h"

namespace forebay::operators {

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

void AffineMatrix::read(std::span<const float> from) {
  for (int i = 0; i < dimensions_; ++i) {
    for (int j = 0; j <= dimensions_; ++j) {
      at(i, j) = from[static_cast<size_t>(i * (dimensions_ + 1) + j)];
    }
  }
}

void AffineMatrix::write(std::span<float> to) const {
  for (int i = 0; i < dimensions_; ++i) {
    for (int j = 0; j <= dimensions_; ++j) {
      to[static_cast<size_t>(i * (dimensions_ + 1) + j)] = at(i, j);
    }
  }
}

}  // namespace forebay::operators
