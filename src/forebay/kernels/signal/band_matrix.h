// Products of matrices with lines, where each row of the matrix has its numbers in one run: filter banks,
// cosines.
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/lines.h"

namespace forebay::kernels {

/// A matrix whose rows are zero outside of one run of columns. Immutable once it is filled: then safe from
/// any thread.
class BandMatrix {
 public:
  explicit BandMatrix(int64_t num_columns) : num_columns_(num_columns) {}

  /// Adds a row that begins with column `first_column`; it must end within the matrix.
  void add_row(int64_t first_column, const std::vector<float>& numbers);

  int64_t num_rows() const { return static_cast<int64_t>(rows_.size()); }
  int64_t num_columns() const { return num_columns_; }

  /// out = matrix * in for each line: lines.length is num_columns(), and `out` has the same lines of
  /// num_rows(). Sums go from the first column to the last, in floats: the same bits on every target. Takes
  /// little scratch memory, which may be refused.
  Status multiply(const float* in, const Lines& lines, float* out) const;

  struct Row {
    int64_t first_column = 0;
    int64_t first_number = 0;  // among numbers()
    int64_t size = 0;
  };
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<float>& numbers() const { return numbers_; }

 private:
  int64_t num_columns_;
  std::vector<Row> rows_;
  std::vector<float> numbers_;
};

/// What making a matrix of so many rows takes at most, and so many numbers in all of them.
inline int64_t band_matrix_bytes(int64_t rows, int64_t numbers) {
  constexpr int64_t kGrowth = 3;  // a vector that grows holds its old elements beside room for twice as many
  return kGrowth * (rows * static_cast<int64_t>(sizeof(BandMatrix::Row)) +
                    numbers * static_cast<int64_t>(sizeof(float)));
}

}  // namespace forebay::kernels
