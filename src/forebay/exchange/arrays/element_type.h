// Names of element types in other frameworks' protocols.
//
// Sources: Python's buffer protocol (PEP 3118, the `struct` module's codes), NumPy's array interface version
// 3, DLPack's DLDataType. Only the machine's own byte order is accepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"

namespace forebay::exchange {

struct ElementType {
  tensor::DType dtype = tensor::DType::kNone;
  char kind = 0;  // of a typestring: 'u', 'i', 'f', 'b'
  uint8_t bytes = 0;
  uint8_t dlpack_code = 0;  // kDLInt 0, kDLUInt 1, kDLFloat 2, kDLBool 6
};

/// invalid_argument for kNone.
Result<ElementType> element_type_of(tensor::DType dtype);

/// From a buffer's format ("B", "<f", "?") and item size. The size decides, because "l" differs between
/// platforms. invalid_argument for structures, objects, text, complex numbers and foreign byte order.
Result<tensor::DType> dtype_of_buffer_format(std::string_view format, size_t item_bytes);

/// "<f4", "|u1", "|b1".
Result<std::string> typestring_of(tensor::DType dtype);
Result<tensor::DType> dtype_of_typestring(std::string_view typestring);

/// invalid_argument for vectors (lanes other than 1) and types that Forebay does not have (bfloat16,
/// complex).
Result<tensor::DType> dtype_of_dlpack(uint8_t code, uint8_t bits, uint16_t lanes);

}  // namespace forebay::exchange
