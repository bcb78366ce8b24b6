// Correlation of images and volumes with a filter of any extents: out(p) = sum over q of filter(q) times
// in(p - anchor + q).
//
// `exact`: sums in float, taps in order by fused multiply-adds.
#pragma once

#include <array>

#include "forebay/base/status.h"
#include "forebay/kernels/generic/border.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

struct CorrelateOptions {
  /// Of the filter, (y, x) or (z, y, x); within it.
  std::array<int64_t, 3> anchor{};
  Border border = Border::kReflect101;
  float fill = 0;  // beyond the ends, for kConstant
  /// Only where the whole filter lies on the input: `out` is smaller by the filter's extents less one, and
  /// neither anchor nor border matter.
  bool is_valid_only = false;
};

/// `in` is HWC or DHWC, `filter` of FLOAT has 2 or 3 axes. `out` is float or the type of `in`: integers of up
/// to 16 bits are rounded to the nearest, halves to even, as OpenCV does, others away from zero; all are
/// saturated. invalid_argument where shapes do not fit. Takes scratch memory for the lines (of volumes: the
/// slices) under the filter.
Status correlate(const tensor::TensorView& in, const tensor::TensorView& filter,
                 const CorrelateOptions& options, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
