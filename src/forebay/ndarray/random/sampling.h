// Random numbers from distributions whose parameters may be arrays. Keys are taken as in random.h.
#pragma once

#include "forebay/kernels/random/distributions.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

using kernels::Distribution;

/// Draws with the parameters `first` and `second`. Float types; int32 and int64 are truncated.
Result<Array> sample(Distribution distribution, double first, double second, const ArraySpec& spec);

/// `shape` draws for each element of the parameters, which have one shape: the result has that shape followed
/// by `shape`. `parameters`: one or two arrays, as the distribution needs.
Result<Array> sample(Distribution distribution, std::span<const Array> parameters, const tensor::Shape& shape,
                     tensor::DType dtype);

/// Indices along the last axis of `weights`, drawn in proportion to the weights, `shape` of them for each
/// line.
Result<Array> sample_categories(const Array& weights, const tensor::Shape& shape, tensor::DType dtype);

/// 0 ... count - 1 (int64) in random order.
Result<Array> random_permutation(int64_t count);

}  // namespace forebay::ndarray
