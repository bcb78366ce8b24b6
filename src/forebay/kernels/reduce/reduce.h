// Reductions over axes. Sums are in double precision, in an order that depends only on the shape, so the bits
// do not depend on how the work is divided.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

enum class Reduction : uint8_t {
  kSum,
  kMean,
  kSumOfSquares,
  kNorm,  // the square root of the sum of squares, which itself need not fit into the type
  kSumOfMagnitudes,
  kProduct,
  kMax,
  kMin,
  kArgMax,  // index of the first maximum, as a number of the type that dtype_of_places() names
  kArgMin,
};

/// The three extents that a reduction over adjacent axes amounts to: `out[o][i]` reduces `in[o][0 ... length
/// - 1][i]`, all dense.
struct ReductionShape {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
};

/// The work is divided into units that are computed independently: long reductions are cut into runs whose
/// results are joined afterwards.
struct ReductionPlan {
  ReductionShape shape;
  int64_t runs = 1;   // into how many runs a reduction is cut
  int64_t tiles = 1;  // into how many tiles `inner` is cut
  int64_t units() const { return shape.outer * runs * tiles; }
  int64_t unit_elements() const;  // roughly how many elements a unit reads
  /// How many 8-byte numbers the units leave for finish_reduction().
  int64_t partial_results() const { return runs == 1 ? 0 : shape.outer * runs * shape.inner; }
};
/// The type of indices below `length` of elements of this type: the same, or int64 where it does not hold
/// them all exactly.
tensor::DType dtype_of_places(tensor::DType dtype, int64_t length);

ReductionPlan plan_reduction(Reduction reduction, const ReductionShape& shape);

/// Computes the units [first, last). NaN: sums and products propagate it; max and min ignore it unless all
/// values are NaN. `in` and `out` have the same element type (not bool), except that indices have
/// dtype_of_places() the length; `partials` has room for partial_results().
void reduce_units(Reduction reduction, tensor::DType dtype, const ReductionPlan& plan, int64_t first,
                  int64_t last, const void* in, void* partials, void* out);
/// Joins the partial results, if there are any.
void finish_reduction(Reduction reduction, tensor::DType dtype, const ReductionPlan& plan,
                      const void* partials, void* out);

}  // namespace forebay::kernels
