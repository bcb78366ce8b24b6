// Checks that a column is what Arrow's format says, in three levels. What comes from outside (another
// process, another framework, a file) is checked by kFull before anything reads it.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/tensor/columns/column.h"
#include "forebay/tensor/columns/table.h"

namespace forebay::tensor {

enum class ValidationLevel : uint8_t {
  kMinimal,  // types, lengths, buffers' presence and size. Reads no buffer, so any memory will do
  kBounds,   // and that the first and last offset lie in the data: O(columns)
  kFull,  // and every offset, every index into a dictionary, UTF-8, null counts, null-free fields: O(values)
};

/// invalid_argument that begins with the path of the column ("column 'a.item.x': "), and says which buffer
/// and, where it is one row's fault, which row. kBounds and kFull read host memory: failed_precondition for
/// other memory. Depth and number of columns are bounded as types are.
Status validate(const Column& column, ValidationLevel level, std::string_view name = "column");
Status validate(const Table& table, ValidationLevel level);

}  // namespace forebay::tensor
