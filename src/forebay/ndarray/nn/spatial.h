// The spatial dimensions of (batch, channels, ...) as kernels use them: depth, height, width, of which
// leading ones may be missing. Internal to ndarray.
#pragma once

#include <string_view>

#include "forebay/kernels/nn/convolution.h"
#include "forebay/ndarray/nn/convolution.h"

namespace forebay::ndarray {

/// The numbers, with `missing` for dimensions that do not exist, and for all if none are given.
/// invalid_argument if there are not `rank` numbers.
Result<kernels::Extents> extents_of(const SpatialNumbers& numbers, size_t rank, int64_t missing,
                                    std::string_view what);

/// The spatial extents of an array of 3 to 5 dimensions.
kernels::Extents spatial_extents(const tensor::Shape& data);

/// (batch, channels, the last `rank` of the extents).
tensor::Shape batch_shape(int64_t batch, int64_t channels, const kernels::Extents& extents, size_t rank);

}  // namespace forebay::ndarray
