// Orders and running sums along an axis. An array is seen as `outer` x `length` x `inner`, dense; each line
// of `length` elements is treated apart from the others.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

struct Lines {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
  int64_t count() const { return outer * inner; }
};

/// The first `k` places of each of the lines `first` to, not including, `last` in their order, equal values
/// in the order in which they lie, NaN behind all: out[o][j][i]. Any type. resource_exhausted.
Status order_lines(const tensor::TensorView& in, const Lines& lines, int64_t k, bool ascending, int64_t first,
                   int64_t last, int64_t* out);

/// The values of those lines in their order, -0 before 0 when ascending, NaN behind all: out[o][j][i], of the
/// type of `in`. resource_exhausted.
Status sort_lines(const tensor::TensorView& in, const Lines& lines, bool ascending, int64_t first,
                  int64_t last, void* out);

/// out[o][j][i] = in[o][0][i] + ... + in[o][j][i] for the lines `first` to `last`: float types add in double,
/// integers wrap. Any type but bool.
void add_up_lines(const tensor::TensorView& in, const Lines& lines, int64_t first, int64_t last, void* out);

}  // namespace forebay::kernels
