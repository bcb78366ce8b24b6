// Arrays of random numbers. What an operation draws is determined when it is pushed, by the seed and the
// number of earlier draws. So random operations need no order among themselves and give the same numbers with
// any number of workers.
#pragma once

#include "forebay/ndarray/operation.h"

namespace forebay::ndarray {

/// Restarts the random sequence of this process. The seed is 0 until then.
void seed_random(uint64_t seed);
/// The key of the next operation that draws. Thread safe; operations pushed concurrently by several threads
/// draw in the order of the calls.
uint64_t next_random_key();

/// Uniform in [low, high); float types.
Result<Array> random_uniform(double low, double high, const ArraySpec& spec);
/// Normally distributed; float types.
Result<Array> random_normal(double mean, double deviation, const ArraySpec& spec);
/// Integers in [low, high); int32 and int64.
Result<Array> random_integers(int64_t low, int64_t high, const ArraySpec& spec);
/// `scale` with that probability, else 0: the factor for dropout. Float types.
Result<Array> random_mask(double probability, double scale, const ArraySpec& spec);

}  // namespace forebay::ndarray
