#include "forebay/exchange/arrays/element_type.h"

#include <array>

#include "forebay/exchange/byte_order.h"

namespace forebay::exchange {
namespace {

using tensor::DType;

constexpr uint8_t kDLInt = 0;
constexpr uint8_t kDLUInt = 1;
constexpr uint8_t kDLFloat = 2;
constexpr uint8_t kDLBool = 6;

constexpr std::array<ElementType, 12> kTypes = {{
    {DType::kUint8, 'u', 1, kDLUInt},
    {DType::kUint16, 'u', 2, kDLUInt},
    {DType::kUint32, 'u', 4, kDLUInt},
    {DType::kUint64, 'u', 8, kDLUInt},
    {DType::kInt8, 'i', 1, kDLInt},
    {DType::kInt16, 'i', 2, kDLInt},
    {DType::kInt32, 'i', 4, kDLInt},
    {DType::kInt64, 'i', 8, kDLInt},
    {DType::kFloat16, 'f', 2, kDLFloat},
    {DType::kFloat, 'f', 4, kDLFloat},
    {DType::kFloat64, 'f', 8, kDLFloat},
    {DType::kBool, 'b', 1, kDLBool},
}};

Result<DType> dtype_of_kind(char kind, size_t bytes, std::string_view what) {
  for (const ElementType& type : kTypes) {
    if (type.kind == kind && type.bytes == bytes) {
      return type.dtype;
    }
  }
  return invalid_argument("{} has no counterpart among Forebay's element types", what);
}

// The kind for a code of the `struct` module, or 0.
char kind_of_code(char code) {
  if (code == '?') {
    return 'b';
  }
  if (std::string_view("BHILQNc").find(code) != std::string_view::npos) {
    return 'u';
  }
  if (std::string_view("bhilqn").find(code) != std::string_view::npos) {
    return 'i';
  }
  return std::string_view("efd").find(code) != std::string_view::npos ? 'f' : 0;
}

}  // namespace

Result<ElementType> element_type_of(DType dtype) {
  for (const ElementType& type : kTypes) {
    if (type.dtype == dtype) {
      return type;
    }
  }
  return invalid_argument("a tensor without an element type cannot be handed over");
}

Result<DType> dtype_of_buffer_format(std::string_view format, size_t item_bytes) {
  std::string_view code = format;
  if (code.size() == 2 && (code[0] == kNativeOrder || code[0] == '=' || code[0] == '@' || code[0] == '|')) {
    code.remove_prefix(1);
  }
  return dtype_of_kind(code.size() == 1 ? kind_of_code(code[0]) : char{0}, item_bytes,
                       fmt::format("the buffer format '{}'", format));
}

Result<std::string> typestring_of(DType dtype) {
  FOREBAY_ASSIGN_OR_RETURN(const ElementType type, element_type_of(dtype));
  return fmt::format("{}{}{}", type.bytes == 1 ? '|' : kNativeOrder, type.kind, type.bytes);
}

Result<DType> dtype_of_typestring(std::string_view typestring) {
  const bool has_form = typestring.size() == 3 && typestring[2] >= '1' && typestring[2] <= '8';
  const bool has_order =
      has_form && (typestring[0] == kNativeOrder || typestring[0] == '|' || typestring[0] == '=');
  return dtype_of_kind(has_order ? typestring[1] : char{0},
                       has_form ? static_cast<size_t>(typestring[2] - '0') : 0,
                       fmt::format("the typestring '{}'", typestring));
}

Result<DType> dtype_of_dlpack(uint8_t code, uint8_t bits, uint16_t lanes) {
  for (const ElementType& type : kTypes) {
    if (type.dlpack_code == code && type.bytes * 8 == bits && lanes == 1) {
      return type.dtype;
    }
  }
  return invalid_argument(
      "a DLPack type of code {}, {} bits and {} lanes has no counterpart among Forebay's element "
      "types",
      code, bits, lanes);
}

}  // namespace forebay::exchange
