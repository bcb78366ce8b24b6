// Converts floats that represent integers.
#pragma once

#include <cstdint>

#include "forebay/base/status.h"

namespace forebay::operators {

/// Truncates `number` towards zero: invalid_argument for NaN, infinities and values that do not fit 64 bits.
Result<int64_t> int_of(double number);

}  // namespace forebay::operators
