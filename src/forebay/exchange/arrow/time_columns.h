// Times in arrays, where a special number (NaT) marks a missing time, and in columns, where a bitmap does.
#pragma once

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/time_type.h"
#include "forebay/tensor/columns/column.h"

namespace forebay::exchange {

/// A column over `counts`, which is int64 in host memory with one axis. NaT becomes null: a bitmap is made,
/// and the numbers stay in place. Days, which have 32 bits in a column, are copied (counted) if `may_copy`,
/// else failed_precondition. invalid_argument for other shapes and for days that need more than 32 bits.
Result<tensor::Column> column_of_times(const tensor::Tensor& counts, TimeType type, bool may_copy);

struct TimeCounts {
  tensor::Tensor counts;  // int64, one axis
  bool is_copied = false;
};

/// The numbers of a column of times, over its memory; null becomes NaT. Days, and columns in which some null
/// has another value than NaT, are copied (counted) if `may_copy`, else failed_precondition; these must be in
/// host memory.
Result<TimeCounts> counts_of_times(const tensor::Column& column, bool may_copy);

}  // namespace forebay::exchange
