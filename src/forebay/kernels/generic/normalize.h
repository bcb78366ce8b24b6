// Means, standard deviations and normalisation over axes, as in DALI's `normalize`.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::kernels {

/// The shape of statistics: `shape` with the reduced axes set to 1.
tensor::Shape reduced_shape(const tensor::Shape& shape, std::span<const int> axes);

/// Adds the sums of one sample over `axes` to `sums`, which has the volume of reduced_shape(). The statistics
/// of a batch are the sum over its samples. Any type but bool; sums are in double, in memory order.
Status add_sums(const tensor::TensorView& in, std::span<const int> axes, std::span<double> sums);

/// Adds the sums of (in - mean)^2 over `axes`. `mean` has the volume of reduced_shape(), or 1.
Status add_squared_deviations(const tensor::TensorView& in, std::span<const int> axes,
                              std::span<const float> mean, std::span<double> sums);

/// scale / sqrt(variance + epsilon) with variance = squares / (count - ddof); 0 if the variance (plus
/// epsilon) is 0 or, without epsilon, if count <= ddof. `multipliers` has the size of `squares`.
void multipliers_from_squares(std::span<const double> squares, int64_t count, int ddof, float epsilon,
                              float scale, std::span<float> multipliers);

/// The same from given standard deviations: scale / stddev, or scale / sqrt(stddev^2 + epsilon) if epsilon >
/// 0. In place.
void multipliers_from_stddev(std::span<float> stddev, float epsilon, float scale);

/// out = (in - mean) * multiplier + shift. mean and multiplier are float and broadcast to in: equal extents
/// or 1. Any types; integers round halves away from zero and saturate.
Status normalize(const tensor::TensorView& in, const tensor::TensorView& mean,
                 const tensor::TensorView& multiplier, float shift, const tensor::MutableTensorView& out);

}  // namespace forebay::kernels
