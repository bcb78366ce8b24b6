// Reductions over axes. Sums are made in double precision in an order that depends on the shape alone, so
// that the bits do not depend on who computes which part.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

enum class Reduction : uint8_t {
  kSum,
  kMean,
  kSumOfSquares,
  kNorm,  // the square root of the sum of squares, which need not fit into the type
  kSumOfMagnitudes,
  kProduct,
  kMax,
  kMin,
  kArgMax,  // the first place of the greatest value, as a number of the output's type
  kArgMin,
};

/// The three extents that a reduction over neighbouring axes comes down to: `out[o][i]` reduces
/// `in[o][0 ... length - 1][i]`, all dense.
struct ReductionShape {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
};

/// The work falls into units, each computed apart from the others: long reductions are cut into runs whose
/// results are joined afterwards.
struct ReductionPlan {
  ReductionShape shape;
  int64_t runs = 1;   // a reduction is cut into
  int64_t tiles = 1;  // that `inner` is cut into
  int64_t units() const { return shape.outer * runs * tiles; }
  int64_t unit_elements() const;  // about how many elements a unit reads
  /// Numbers of 8 bytes that the units leave behind for finish_reduction().
  int64_t partial_results() const { return runs == 1 ? 0 : shape.outer * runs * shape.inner; }
};
ReductionPlan plan_reduction(Reduction reduction, const ReductionShape& shape);

/// Computes the units from `first` up to, not including, `last`. NaN: sums and products take it on; max and
/// min pass it over unless all are NaN. `in` and `out` have one element type (no bool); `partials` has room
/// for partial_results().
void reduce_units(Reduction reduction, tensor::DType dtype, const ReductionPlan& plan, int64_t first,
                  int64_t last, const void* in, void* partials, void* out);
/// Joins the partial results, if there are any.
void finish_reduction(Reduction reduction, tensor::DType dtype, const ReductionPlan& plan,
                      const void* partials, void* out);

}  // namespace forebay::kernels
