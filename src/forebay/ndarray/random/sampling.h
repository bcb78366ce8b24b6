// Random numbers of distributions whose parameters may be arrays. Keys are taken as in random.h.
#pragma once

#include "forebay/kernels/random/distributions.h"
#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

using kernels::Distribution;

/// Numbers with the parameters `first` and `second`. Float types; int32 and int64 are cut off.
Result<Array> sample(Distribution distribution, double first, double second, const ArraySpec& spec);

/// `shape` numbers for each element of the parameters, which have one shape: the result's shape is theirs,
/// followed by `shape`. `parameters`: one or two arrays, as the distribution takes.
Result<Array> sample(Distribution distribution, std::span<const Array> parameters, const tensor::Shape& shape,
                     tensor::DType dtype);

/// Places along the last axis of `weights`, each with its weight's share, `shape` for each line.
Result<Array> sample_categories(const Array& weights, const tensor::Shape& shape, tensor::DType dtype);

/// 0 ... count - 1 (int64) in random order.
Result<Array> random_permutation(int64_t count);

}  // namespace forebay::ndarray
