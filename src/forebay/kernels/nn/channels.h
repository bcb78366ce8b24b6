// Statistics of channels and operations with them, for arrays of shape (outer, channels, inner), of float or
// double. Sums consist of vectors of partial sums, one per run of `inner`, added up in double precision. If
// `inner` is 1, use columns.h instead, which iterates over rows.
#pragma once

#include <cstdint>

namespace forebay::kernels {

struct Channels {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;

  int64_t start(int64_t place, int64_t channel) const { return (place * channels + channel) * inner; }
  int64_t count() const { return outer * inner; }  // elements per channel
};

/// out[i] = a * x[i] + b * y[i] + c over a run; `y` may be null.
template <class T>
void combine_runs(const T* x, T a, const T* y, T b, T c, int64_t count, T* out);

/// The sum of each channel in [first, last).
template <class T>
void channel_sums(const Channels& shape, int64_t first, int64_t last, const T* in, T* sums);

/// Mean and (biased) variance of each channel in [first, last).
template <class T>
void channel_statistics(const Channels& shape, int64_t first, int64_t last, const T* in, T* means,
                        T* variances);

/// For each channel in [first, last): the sums of a, and of a * (b - its center), stored from index 0 on.
template <class T>
void channel_products(const Channels& shape, int64_t first, int64_t last, const T* a, const T* b,
                      const T* centers, double* sums, double* products);

}  // namespace forebay::kernels
