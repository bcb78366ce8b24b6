#include "forebay/kernels/signal/dct.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace forebay::kernels {
namespace {

/// cos(pi numerator / denominator), the angle taken modulo its period while it is whole.
double cosine(int64_t numerator, int64_t denominator) {
  const double turns = static_cast<double>(numerator % (2 * denominator)) / static_cast<double>(denominator);
  return std::cos(std::numbers::pi * turns);
}

double entry(int type, int64_t k, int64_t n, int64_t size) {
  switch (type) {
    case 1:
      return cosine(n * k, size - 1) * (n == 0 || n == size - 1 ? 0.5 : 1.0);
    case 2:
      return cosine((2 * n + 1) * k, 2 * size);
    case 3:
      return cosine(n * (2 * k + 1), 2 * size) * (n == 0 ? 0.5 : 1.0);
    default:
      return cosine((2 * n + 1) * (2 * k + 1), 4 * size);
  }
}

/// What makes the matrix orthonormal: sqrt(2 / size), with a root of 1/2 where a cosine is constant, and of 2
/// where it was halved.
double orthonormal_scale(int type, int64_t k, int64_t n, int64_t size) {
  const double scale = std::sqrt(2.0 / static_cast<double>(size));
  if (type == 2 && k == 0) {
    return scale * std::numbers::sqrt2 / 2;
  }
  return type == 3 && n == 0 ? scale * std::numbers::sqrt2 : scale;
}

}  // namespace

BandMatrix dct_matrix(int type, bool is_orthonormal, double lifter, int64_t num_rows, int64_t size) {
  BandMatrix matrix(size);
  for (int64_t k = 0; k < num_rows; ++k) {
    const double scale =
        lifter == 0 ? 1.0
                    : 1.0 + lifter / 2 * std::sin(std::numbers::pi / lifter * static_cast<double>(k + 1));
    std::vector<float> row;
    for (int64_t n = 0; n < size; ++n) {
      const double norm = is_orthonormal ? orthonormal_scale(type, k, n, size) : 1.0;
      row.push_back(static_cast<float>(scale * norm * entry(type, k, n, size)));
    }
    matrix.add_row(0, row);
  }
  return matrix;
}

}  // namespace forebay::kernels
