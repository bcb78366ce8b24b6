// Sums of floats in double: the bits that adding them in memory order gives, without each addition waiting
// for the one before it where no addition rounds.
#pragma once

#include <cstdint>

namespace forebay::kernels {

/// What a sum is of.
enum class Summand : uint8_t { kValue, kSquare };

/// sum + values[0] + values[1] ..., or their squares, from the left.
///
/// All values of a block are multiples of some power of two, as is the sum before them. As long as no sum of
/// some of them, whatever their signs, exceeds 2^53 such units, each addition is exact, and the order makes
/// no difference. From the first block on where that may not be so they are added one by one.
double ordered_sum(Summand summand, double sum, const float* values, int64_t count);

}  // namespace forebay::kernels
