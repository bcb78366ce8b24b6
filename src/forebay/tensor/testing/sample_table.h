// A table with a column of every layout, for tests.
#pragma once

#include <cstdint>

#include "forebay/tensor/columns/table.h"

namespace forebay::tensor::testing {

/// Deterministic for given arguments. About every third row is null where a column may hold nulls.
Table sample_table(int64_t rows, uint32_t seed = 0);

}  // namespace forebay::tensor::testing
