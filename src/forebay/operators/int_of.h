// Floats that stand for integers.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"

namespace forebay::operators {

/// The integer that `number` is, truncated towards zero: invalid_argument for NaN, infinities and what 64
/// bits do not hold.
Result<int64_t> int_of(double number);

}  // namespace forebay::operators
