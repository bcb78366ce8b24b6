// Convolutions, transposed convolutions and pooling in one, two and three dimensions. Arrays are (batch,
// channels, ...spatial), float or float64.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// One number per spatial dimension.
using SpatialNumbers = absl::InlinedVector<int64_t, 3>;

struct ConvolutionOptions {
  SpatialNumbers kernel;
  SpatialNumbers stride;  // empty: ones
  SpatialNumbers dilate;  // empty: ones
  SpatialNumbers pad;     // empty: zeros
  int64_t filters = 0;
  int64_t groups = 1;
};

/// weight: (filters, channels / groups, ...kernel); bias: (filters), or an invalid array for none.
Result<Array> convolution(const Array& data, const Array& weight, const Array& bias,
                          const ConvolutionOptions& options);

/// Transposed convolution: weight is (channels, filters / groups, ...kernel); `adjust` places, fewer than the
/// stride, are added at the end of the output.
Result<Array> deconvolution(const Array& data, const Array& weight, const Array& bias,
                            const ConvolutionOptions& options, const SpatialNumbers& adjust);

enum class Pooling : uint8_t { kMax, kAverage, kSum, kNorm };

struct PoolingOptions {
  Pooling kind = Pooling::kMax;
  bool is_global = false;  // one window over everything
  SpatialNumbers kernel;
  SpatialNumbers stride;
  SpatialNumbers pad;
  bool full = false;  // windows that lie partly outside count
  bool counts_padding = true;
  double power = 2;
};

Result<Array> pooling(const Array& data, const PoolingOptions& options);

}  // namespace forebay::ndarray
