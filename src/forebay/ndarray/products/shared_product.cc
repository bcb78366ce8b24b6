#include "forebay/ndarray/products/shared_product.h"

#include <algorithm>
#include <cmath>

#include "forebay/engine/engine.h"

namespace forebay::ndarray {
namespace {

using kernels::Matrix;
using tensor::DType;

constexpr int64_t kTiles = 16;                // per product, between the two bounds
constexpr int64_t kLeastEdge = 128;           // minimum rows or columns of a tile
constexpr int64_t kGreatestEdge = 1024;       // beyond this, packing a tile's operands costs next to nothing
constexpr int64_t kSmall = int64_t{1} << 20;  // products with fewer multiplications are not shared

/// Tiles in each direction. They are roughly square: each tile packs its operands, so strips of the whole
/// width would pack the other operand again and again.
struct Tiling {
  int64_t down = 1;
  int64_t across = 1;
};

Tiling tiling_of(int64_t rows, int64_t inner, int64_t columns) {
  if (rows * columns * std::max<int64_t>(inner, 1) < kSmall) {
    return {};
  }
  const double square = std::sqrt(static_cast<double>(rows) * static_cast<double>(columns) / kTiles);
  const int64_t edge = std::clamp(static_cast<int64_t>(square), kLeastEdge, kGreatestEdge);
  return {std::max<int64_t>(rows / edge, 1), std::max<int64_t>(columns / edge, 1)};
}

}  // namespace

Matrix matrix_of(const void* data, int64_t rows, int64_t columns, bool transposed) {
  // Rows x columns in memory; swapped in the product if transposed.
  return transposed ? Matrix{data, columns, rows, columns, true}
                    : Matrix{data, rows, columns, columns, false};
}

Status shared_product(DType dtype, const Matrix& a, const Matrix& b, void* out, int64_t pitch, bool add) {
  const Tiling tiling = tiling_of(a.rows, a.columns, b.columns);
  const auto item = static_cast<int64_t>(tensor::size_of(dtype));
  return engine::parallel_for(static_cast<size_t>(tiling.down * tiling.across), [&](size_t tile) {
    const int64_t down = static_cast<int64_t>(tile) / tiling.across;
    const int64_t across = static_cast<int64_t>(tile) % tiling.across;
    const int64_t first_row = a.rows * down / tiling.down;
    const int64_t first_column = b.columns * across / tiling.across;
    const Matrix left = kernels::rows_of(a, dtype, first_row, a.rows * (down + 1) / tiling.down);
    const Matrix right =
        kernels::columns_of(b, dtype, first_column, b.columns * (across + 1) / tiling.across);
    auto* const target = static_cast<std::byte*>(out) + (first_row * pitch + first_column) * item;
    return kernels::matmul(dtype, left, right, target, pitch, add);
  });
}

}  // namespace forebay::ndarray
