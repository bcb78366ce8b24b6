// Names of DLPack element types in the buffer protocol (PEP 3118, the `struct` module's codes and NumPy's 'Z'
// for complex) and in array interfaces. Covers more types than element_type.h, which only has those of
// tensors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/exchange/arrays/dlpack_abi.h"

namespace forebay::exchange {

/// "f", "l", "Zd", ...; static storage. invalid_argument for types without a format: bfloat16, float8,
/// vectors.
Result<const char*> buffer_format_of(dlpack::DataType type);
/// The item size decides, because "l" differs between platforms. invalid_argument for structures, objects,
/// text and foreign byte order.
Result<dlpack::DataType> type_of_buffer_format(std::string_view format, size_t item_bytes);

/// "<f4", "|u1", "<c8". invalid_argument as above.
Result<std::string> typestring_of(dlpack::DataType type);
Result<dlpack::DataType> type_of_typestring(std::string_view typestring);

}  // namespace forebay::exchange
