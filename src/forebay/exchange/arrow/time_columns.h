// Times between arrays, where one number means that there is none (NaT), and columns, where a bitmap says so.
#pragma once

#include "forebay/base/status.h"
#include "forebay/exchange/arrow/time_type.h"
#include "forebay/tensor/columns/column.h"

namespace forebay::exchange {

/// A column over `counts`, int64 in host memory with one axis; NaT becomes null, which makes a bitmap and
/// leaves the numbers where they lie. Days, which have 32 bits in a column, are copied (counted) if
/// `may_copy`, else failed_precondition. invalid_argument for other shapes and for days that need more bits.
Result<tensor::Column> column_of_times(const tensor::Tensor& counts, TimeType type, bool may_copy);

struct TimeCounts {
  tensor::Tensor counts;  // int64, one axis
  bool is_copied = false;
};

/// The numbers of a column of times, over its memory; null becomes NaT. Days, and columns with nulls under
/// which something else than NaT stands, are copied (counted) if `may_copy`, else failed_precondition; these
/// have to lie in host memory.
Result<TimeCounts> counts_of_times(const tensor::Column& column, bool may_copy);

}  // namespace forebay::exchange
