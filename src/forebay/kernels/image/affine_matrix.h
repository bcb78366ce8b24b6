// Affine maps of up to six dimensions as matrices of one more column than rows: built step by step, joined,
// inverted.
#pragma once

#include <array>
#include <span>

#include "forebay/base/status.h"

namespace forebay::kernels {

/// x -> A x + b; row i holds A's row and then b[i]. All in float and in DALI's order of operations, because a
/// map's rounding decides which neighbour is nearest. A value.
class AffineMatrix {
 public:
  static constexpr int kMaxDimensions = 6;

  /// The identity; 1 <= dimensions <= kMaxDimensions.
  explicit AffineMatrix(int dimensions) : dimensions_(dimensions) {
    for (int i = 0; i < dimensions; ++i) {
      at(i, i) = 1;
    }
  }

  /// From row-major elements, dimensions * (dimensions + 1) of them.
  static AffineMatrix of_rows(int dimensions, std::span<const float> rows);

  int dimensions() const { return dimensions_; }
  float& at(int row, int column) { return values_[row * (kMaxDimensions + 1) + column]; }
  float at(int row, int column) const { return values_[row * (kMaxDimensions + 1) + column]; }

  /// Sets b so that `center` stays where it is. Empty: nothing; a single number stands for all coordinates.
  void keep(std::span<const float> center);

  /// x -> after(before(x)), of equal dimensions.
  static AffineMatrix composed(const AffineMatrix& after, const AffineMatrix& before);

  /// Of two or three dimensions; invalid_argument if there is none.
  Result<AffineMatrix> inverted() const;

  /// Row-major elements, dimensions() * (dimensions() + 1) of them.
  void write(std::span<float> to) const;

 private:
  std::array<float, kMaxDimensions*(kMaxDimensions + 1)> values_{};
  int dimensions_;
};

}  // namespace forebay::kernels
