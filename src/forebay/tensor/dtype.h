// Element types. The numbers are those of DALI's DALIDataType, so values in scripts and saved graphs agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "forebay/base/status.h"

namespace forebay::tensor {

enum class DType : int8_t {
  kNone = -1,
  kUint8 = 0,
  kUint16 = 1,
  kUint32 = 2,
  kUint64 = 3,
  kInt8 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kFloat16 = 8,
  kFloat = 9,
  kFloat64 = 10,
  kBool = 11,
};

/// An IEEE 754 half-precision number as stored in memory. Arithmetic goes through float.
struct Float16 {
  uint16_t bits = 0;

  Float16() = default;
  explicit Float16(float value);
  explicit operator float() const;
  friend bool operator==(const Float16&, const Float16&) = default;
};

size_t size_of(DType dtype);            // bytes of one element; 0 for kNone
std::string_view name_of(DType dtype);  // "uint8", "float16", "float", ...
Result<DType> dtype_of(std::string_view name);
bool is_floating(DType dtype);
bool is_integer(DType dtype);  // bool does not count as an integer
bool is_signed(DType dtype);

template <class T>
struct DTypeOf;
#define FOREBAY_DTYPE_OF(type, value)             \
  template <>                                     \
  struct DTypeOf<type> {                          \
    static constexpr DType kValue = DType::value; \
  };
FOREBAY_DTYPE_OF(uint8_t, kUint8)
FOREBAY_DTYPE_OF(uint16_t, kUint16)
FOREBAY_DTYPE_OF(uint32_t, kUint32)
FOREBAY_DTYPE_OF(uint64_t, kUint64)
FOREBAY_DTYPE_OF(int8_t, kInt8)
FOREBAY_DTYPE_OF(int16_t, kInt16)
FOREBAY_DTYPE_OF(int32_t, kInt32)
FOREBAY_DTYPE_OF(int64_t, kInt64)
FOREBAY_DTYPE_OF(Float16, kFloat16)
FOREBAY_DTYPE_OF(float, kFloat)
FOREBAY_DTYPE_OF(double, kFloat64)
FOREBAY_DTYPE_OF(bool, kBool)
#undef FOREBAY_DTYPE_OF
template <class T>
inline constexpr DType kDTypeOf = DTypeOf<T>::kValue;

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls `function(TypeTag<T>{})` with the C++ type of `dtype`, which may be any but kNone. The return type
/// is that of the call for float.
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& function) {
  switch (dtype) {
    case DType::kUint8:
      return function(TypeTag<uint8_t>{});
    case DType::kUint16:
      return function(TypeTag<uint16_t>{});
    case DType::kUint32:
      return function(TypeTag<uint32_t>{});
    case DType::kUint64:
      return function(TypeTag<uint64_t>{});
    case DType::kInt8:
      return function(TypeTag<int8_t>{});
    case DType::kInt16:
      return function(TypeTag<int16_t>{});
    case DType::kInt32:
      return function(TypeTag<int32_t>{});
    case DType::kInt64:
      return function(TypeTag<int64_t>{});
    case DType::kFloat16:
      return function(TypeTag<Float16>{});
    case DType::kFloat64:
      return function(TypeTag<double>{});
    case DType::kBool:
      return function(TypeTag<bool>{});
    default:
      return function(TypeTag<float>{});
  }
}

}  // namespace forebay::tensor
