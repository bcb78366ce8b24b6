// Lines as the rows that transforms of several lines at once work on: element i of up to 16 lines side by
// side.
#pragma once

#include <array>
#include <cstdint>

#include "forebay/kernels/generic/lines.h"
#include "forebay/kernels/signal/fft.h"

namespace forebay::kernels {

/// Where kFftLanes lines of floats begin.
using LinePointers = std::array<const float*, kFftLanes>;

/// rows[i][lane] = lines[lane][i] * factors[i], for i < count; `factors` may be null. No pointer may be null.
void lines_to_rows(const LinePointers& lines, const float* factors, int64_t count, float* rows);

/// out[lane * pitch + i] = rows[i][lane], for i < count and lane < num_lines <= kFftLanes.
void rows_to_lines(const float* rows, int64_t count, int64_t num_lines, float* out, int64_t pitch);

/// The lines of an array along one axis in blocks of up to kFftLanes neighbours.
class LineBlocks {
 public:
  explicit LineBlocks(const Lines& lines) : lines_(lines) {}

  int64_t count() const {
    return lines_.inner == 1 ? blocks_of(lines_.outer) : lines_.outer * blocks_of(lines_.inner);
  }
  /// How many lines block `block` has.
  int64_t size(int64_t block) const;
  /// The first `count` elements of its lines as rows; the lanes beyond the last line hold numbers without
  /// meaning.
  void read(const float* array, int64_t block, int64_t count, float* rows) const;
  /// Writes them back: `array` has lines of lines.length.
  void write(const float* rows, int64_t block, float* array) const;

 private:
  static int64_t blocks_of(int64_t lines) { return (lines + kFftLanes - 1) / kFftLanes; }
  /// The first line of a block: where it begins in memory.
  int64_t start(int64_t block) const;

  Lines lines_;
};

}  // namespace forebay::kernels
