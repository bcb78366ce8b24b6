// Affine maps of up to six dimensions as matrices of one more column than rows, built step by step.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace forebay::operators {

/// x -> A x + b; row i holds A's row and then b[i]. A value.
class AffineMatrix {
 public:
  static constexpr int kMaxDimensions = 6;

  /// The identity; 1 <= dimensions <= kMaxDimensions.
  explicit AffineMatrix(int dimensions) : dimensions_(dimensions) {
    for (int i = 0; i < dimensions; ++i) {
      at(i, i) = 1;
    }
  }

  int dimensions() const { return dimensions_; }
  float& at(int row, int column) { return values_[row * (kMaxDimensions + 1) + column]; }
  float at(int row, int column) const { return values_[row * (kMaxDimensions + 1) + column]; }

  /// Sets b so that `center` stays where it is. Empty: nothing; a single number stands for all coordinates.
  void keep(std::span<const float> center);

  /// x -> after(before(x)), of equal dimensions.
  static AffineMatrix composed(const AffineMatrix& after, const AffineMatrix& before);

  /// Row-major elements, dimensions() * (dimensions() + 1) of them.
  void read(std::span<const float> from);
  void write(std::span<float> to) const;

 private:
  std::array<float, kMaxDimensions*(kMaxDimensions + 1)> values_{};
  int dimensions_;
};

}  // namespace forebay::operators
