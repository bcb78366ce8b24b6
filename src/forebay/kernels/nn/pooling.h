// Pooling over windows in one, two and three dimensions, one plane (one channel of a sample) at a time, for
// float or double.
#pragma once

#include "forebay/kernels/nn/convolution.h"

namespace forebay::kernels {

enum class PoolingKind : uint8_t { kMax, kAverage, kSum, kNorm };

struct PoolingShape {
  PoolingKind kind = PoolingKind::kMax;
  Extents in{1, 1, 1};
  Extents kernel{1, 1, 1};
  Extents stride{1, 1, 1};
  Extents pad{0, 0, 0};
  Extents out{1, 1, 1};
  bool counts_padding = true;  // averages divide by all places of the window that are in the padded plane
  double power = 2;            // for kNorm: (sum of |x|^power)^(1 / power)
};

/// `full` rounds the number of windows up, so the last one may extend outside. invalid_argument for windows
/// that do not fit.
Status infer_out(PoolingShape* shape, bool full);

template <class T>
void pool(const PoolingShape& shape, int64_t planes, const T* in, T* out);

/// If the maximum occurs several times in a window, the first place gets the gradient.
template <class T>
void pool_gradient(const PoolingShape& shape, int64_t planes, const T* in, const T* out,
                   const T* out_gradient, T* in_gradient);

}  // namespace forebay::kernels
