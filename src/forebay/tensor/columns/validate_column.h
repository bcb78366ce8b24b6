// Checks that a column conforms to Arrow's format, at three levels. Data from outside (another process,
// another framework, a file) is checked with kFull before anything reads it.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/tensor/columns/column.h"
#include "forebay/tensor/columns/table.h"

namespace forebay::tensor {

enum class ValidationLevel : uint8_t {
  kMinimal,  // types, lengths, presence and size of buffers. Reads no buffer, so any kind of memory will do
  kBounds,   // kMinimal, and the first and last offsets lie in the data: O(columns)
  // KBounds, and every offset, every dictionary index, UTF-8, null counts, non-nullable fields: O(values).
  kFull,
};

/// invalid_argument that begins with the path of the column ("column 'a.item.x': ") and names the buffer and,
/// if a single row is at fault, the row. kBounds and kFull read host memory: failed_precondition for other
/// memory. Depth and number of columns are bounded as for types.
Status validate(const Column& column, ValidationLevel level, std::string_view name = "column");
Status validate(const Table& table, ValidationLevel level);

}  // namespace forebay::tensor
