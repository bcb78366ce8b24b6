// A column of its own.
#pragma once

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/strided_array.h"
#include "forebay/exchange/arrow/arrow_array.h"
#include "forebay/tensor/columns/column.h"

namespace forebay::exchange {

/// The same column in new host memory (counted); from host memory only. Whole buffers are copied, whatever
/// the slice.
Result<tensor::Column> copied(const tensor::Column& column);

/// A table (columns of structs) with other values in a column: `child` has all rows, in one chunk. Shares the
/// memory.
Result<ColumnChunks> with_child(const ColumnChunks& table, int64_t place, const tensor::Column& child);

/// The numbers of a column as an array, without a copy; read-only, since columns are immutable. Several
/// chunks are put together, and the bits of bools become bytes, by a copy (counted) if `may_copy`, else they
/// are refused. Dates, timestamps and durations give times (see time_columns.h for their nulls).
/// invalid_argument, with the reason, for other nulls and for types that are not of fixed width.
Result<StridedArray> array_of(const ColumnChunks& column, bool may_copy);

/// A column over an array's memory: rank 1 gives numbers, a higher rank a fixed-shape tensor a row. What is
/// not dense, and bools (a column's are bits), are copied (counted) if `may_copy`, else failed_precondition.
/// Times give dates, timestamps or durations, as time_columns.h says.
Result<tensor::Column> column_of(const StridedArray& array, bool may_copy);

}  // namespace forebay::exchange
