// Normalisation layers, dropout and masks of sequences, for float and float64.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

struct BatchNormOptions {
  double epsilon = 1e-3;
  double momentum = 0.9;
  bool fix_gamma = true;  // gamma counts as 1 and gets a gradient of 0
  bool use_moving = false;
  int axis = 1;
};

/// Returns the result, and the mean and variance per channel that were used (without gradients). While
/// training these are the batch's, and the moving ones are updated when the gradient is computed, as in MXNet
/// (Ioffe and Szegedy, 2015); otherwise they are the moving ones.
Result<Arrays> batch_norm(const Array& data, const Array& gamma, const Array& beta, const Array& moving_mean,
                          const Array& moving_variance, const BatchNormOptions& options);

/// (data - mean) / sqrt(variance + epsilon) along the axis; also returns the mean and the deviation (with
/// extent 1 on that axis, without gradients).
Result<Arrays> standardize(const Array& data, int axis, double epsilon);

/// standardize() times gamma plus beta, which have the axis' extent (Ba et al., 2016).
Result<Arrays> layer_norm(const Array& data, const Array& gamma, const Array& beta, int axis, double epsilon);

/// The same over groups of channels (axis 1) of each sample (Wu and He, 2018), with gamma and beta per group,
/// as in MXNet 1.9. One group per channel is instance normalisation (Ulyanov et al., 2016). Mean and
/// deviation: (batch, groups).
Result<Arrays> group_norm(const Array& data, const Array& gamma, const Array& beta, int64_t groups,
                          double epsilon);

/// data / sqrt(sum of squares + epsilon), where the sum is over `axes`.
Result<Array> l2_normalized(const Array& data, std::span<const int> axes, double epsilon);

/// Keeps elements with probability 1 - p and divides them by it; others become 0 (Srivastava et al., 2014).
/// Along `axes`, elements are kept or dropped together. Which ones are kept is determined by the call, not by
/// the task.
Result<Array> dropout(const Array& data, double p, std::span<const int> axes);

/// Sequences run along `axis` (0 or 1), samples along the other: elements beyond a sample's length become
/// `value`.
Result<Array> sequence_mask(const Array& data, const Array& lengths, double value, int axis);

/// Divides by (knorm + alpha / size * sum of squares of `size` neighbouring channels)^beta (Krizhevsky et
/// al., 2012).
Result<Array> local_response_norm(const Array& data, double alpha, double beta, double knorm, int64_t size);

}  // namespace forebay::ndarray
