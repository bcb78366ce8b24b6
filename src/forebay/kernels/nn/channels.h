// Statistics of channels and what is done with them, for arrays seen as (outer, channels, inner), of float or
// double. Sums are made of vectors of partial sums, one a run of `inner`, added up in double precision. Where
// `inner` is 1 the rows of columns.h are walked instead.
#pragma once

#include <cstdint>

namespace forebay::kernels {

struct Channels {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;

  int64_t start(int64_t place, int64_t channel) const { return (place * channels + channel) * inner; }
  int64_t count() const { return outer * inner; }  // elements of a channel
};

/// out[i] = a * x[i] + b * y[i] + c of runs; `y` may be null.
template <class T>
void combine_runs(const T* x, T a, const T* y, T b, T c, int64_t count, T* out);

/// The sum of each channel in [first, last).
template <class T>
void channel_sums(const Channels& shape, int64_t first, int64_t last, const T* in, T* sums);

/// Mean and (biased) variance of each channel in [first, last).
template <class T>
void channel_statistics(const Channels& shape, int64_t first, int64_t last, const T* in, T* means,
                        T* variances);

/// Of each channel in [first, last): the sum of a, and of a * (b - its center); written from the front on.
template <class T>
void channel_products(const Channels& shape, int64_t first, int64_t last, const T* a, const T* b,
                      const T* centers, double* sums, double* products);

}  // namespace forebay::kernels
