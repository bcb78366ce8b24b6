// Orders and running sums along an axis; each line is processed separately.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/lines.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// How orders treat -0 and 0.
enum class Zeros : uint8_t { kEqual, kBySign };

/// For the lines [first, last): the places of the first `k` values in sorted order, stable, NaN last:
/// out[o][j][i]. With Zeros::kBySign, of those that sort_lines() gives. Any type. resource_exhausted.
Status order_lines(const tensor::TensorView& in, const Lines& lines, int64_t k, bool ascending, int64_t first,
                   int64_t last, int64_t* out, Zeros zeros = Zeros::kEqual);

/// For the same lines: the values in sorted order, -0 before 0 when ascending, NaN last: out[o][j][i], of the
/// type of `in`. resource_exhausted.
Status sort_lines(const tensor::TensorView& in, const Lines& lines, bool ascending, int64_t first,
                  int64_t last, void* out);

/// out[o][j][i] = in[o][0][i] + ... + in[o][j][i] for the lines [first, last): float types add in double,
/// integers wrap. Any type but bool.
void add_up_lines(const tensor::TensorView& in, const Lines& lines, int64_t first, int64_t last, void* out);

}  // namespace forebay::kernels
