#include "forebay/tensor/dtype.h"

#include <array>
#include <bit>

namespace forebay::tensor {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  size_t bytes;
};

constexpr std::array<Row, 12> kRows = {{{DType::kUint8, "uint8", 1},
                                        {DType::kUint16, "uint16", 2},
                                        {DType::kUint32, "uint32", 4},
                                        {DType::kUint64, "uint64", 8},
                                        {DType::kInt8, "int8", 1},
                                        {DType::kInt16, "int16", 2},
                                        {DType::kInt32, "int32", 4},
                                        {DType::kInt64, "int64", 8},
                                        {DType::kFloat16, "float16", 2},
                                        {DType::kFloat, "float", 4},
                                        {DType::kFloat64, "float64", 8},
                                        {DType::kBool, "bool", 1}}};

}  // namespace

// Rounds to nearest, ties to even, like the hardware conversion.
Float16::Float16(float value) {
  const uint32_t in = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (in >> 16) & 0x8000;
  const uint32_t magnitude = in & 0x7FFFFFFF;
  if (magnitude >= 0x7F800000) {  // infinity, NaN
    bits = static_cast<uint16_t>(sign | 0x7C00 |
                                 (magnitude > 0x7F800000 ? 0x200 | ((magnitude >> 13) & 0x3FF) : 0));
    return;
  }
  if (magnitude >= 0x477FF000) {  // rounds past 65504
    bits = static_cast<uint16_t>(sign | 0x7C00);
    return;
  }
  if (magnitude < 0x38800000) {  // subnormal or zero
    const float scaled =
        std::bit_cast<float>(magnitude) + 0.5f;  // aligns the ulp of 0.5 with a half's subnormal ulp
    bits = static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(scaled) - 0x3F000000));
    return;
  }
  const uint32_t odd = (magnitude >> 13) & 1;
  bits = static_cast<uint16_t>(sign | ((magnitude - 0x38000000 + 0xFFF + odd) >> 13));
}

Float16::operator float() const {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1F;
  const uint32_t mantissa = bits & 0x3FF;
  if (exponent == 0) {
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
  if (exponent == 0x1F) {
    return std::bit_cast<float>(sign | 0x7F800000 | (mantissa << 13));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

size_t size_of(DType dtype) {
  return dtype == DType::kNone ? 0 : kRows[static_cast<size_t>(dtype)].bytes;
}

std::string_view name_of(DType dtype) {
  return dtype == DType::kNone ? "none" : kRows[static_cast<size_t>(dtype)].name;
}

Result<DType> dtype_of(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) {
      return row.dtype;
    }
  }
  return invalid_argument("'{}' is not a data type", name);
}

bool is_floating(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kFloat || dtype == DType::kFloat64;
}

bool is_integer(DType dtype) {
  return dtype >= DType::kUint8 && dtype <= DType::kInt64;
}

bool is_signed(DType dtype) {
  return dtype >= DType::kInt8 && dtype <= DType::kFloat64;
}

}  // namespace forebay::tensor
