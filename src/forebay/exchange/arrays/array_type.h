// What an element type of DLPack is called by the buffer protocol (PEP 3118, the `struct` module's codes and
// NumPy's 'Z' for complex) and by array interfaces. Wider than element_type.h, which knows tensors' types
// only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/dlpack_abi.h"

namespace forebay::exchange {

/// "f", "l", "Zd", ...; static. invalid_argument for types without a format: bfloat16, float8, vectors.
Result<const char*> buffer_format_of(dlpack::DataType type);
/// The item's size decides, since "l" is not the same everywhere. invalid_argument for structures, objects,
/// text and foreign byte order.
Result<dlpack::DataType> type_of_buffer_format(std::string_view format, size_t item_bytes);

/// "<f4", "|u1", "<c8". invalid_argument as above.
Result<std::string> typestring_of(dlpack::DataType type);
Result<dlpack::DataType> type_of_typestring(std::string_view typestring);

}  // namespace forebay::exchange
