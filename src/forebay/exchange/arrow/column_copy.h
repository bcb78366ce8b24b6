// Copies of columns and arrays, and conversion between the two.
#pragma once

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/strided_array.h"
#include "forebay/exchange/arrow/arrow_array.h"
#include "forebay/tensor/columns/column.h"

namespace forebay::exchange {

/// Returns the same column in new host memory (counted). Host memory only. Whole buffers are copied, even for
/// a slice.
Result<tensor::Column> copied(const tensor::Column& column);

/// Replaces a column of a table (columns of structs): `child` has all rows in one chunk. Shares the memory.
Result<ColumnChunks> with_child(const ColumnChunks& table, int64_t place, const tensor::Column& child);

/// The numbers of a column as an array, without a copy; read-only, because columns are immutable. Several
/// chunks are joined, and the bits of bools become bytes, with a counted copy if `may_copy`; otherwise they
/// are refused. Dates, timestamps and durations become times (see time_columns.h for their nulls).
/// invalid_argument, with the reason, for other nulls and for types that are not of fixed width.
Result<StridedArray> array_of(const ColumnChunks& column, bool may_copy);

/// A column over an array's memory: rank 1 gives numbers, a higher rank one fixed-shape tensor per row.
/// Arrays that are not dense, and bools (a column's are bits), are copied (counted) if `may_copy`; otherwise
/// failed_precondition. Times become dates, timestamps or durations, as time_columns.h describes.
Result<tensor::Column> column_of(const StridedArray& array, bool may_copy);

}  // namespace forebay::exchange
