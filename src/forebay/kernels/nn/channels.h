// Statistics of channels and what is done with them, for arrays seen as (outer, channels, inner), of float or
// double. Sums are made of vectors of partial sums, one a run of `inner`, added up in double precision.
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

/// The sum of a run of values.
template <class T>
double sum_of_run(const T* values, int64_t count);
/// Sum of (value - center)^2 of a run.
template <class T>
double squares_of_run(const T* values, int64_t count, T center);
/// Sum of a[i] * (b[i] - center) of two runs.
template <class T>
double product_of_runs(const T* a, const T* b, int64_t count, T center);
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

}  // namespace forebay::kernels
