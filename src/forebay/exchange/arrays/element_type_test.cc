#include "forebay/exchange/arrays/element_type.h"

#include <gtest/gtest.h>

namespace forebay::exchange {
namespace {

using tensor::DType;

TEST(ElementType, EveryTypeComesBackByEachOfItsNames) {
  for (int number = 0; number <= static_cast<int>(DType::kBool); ++number) {
    const auto dtype = static_cast<DType>(number);
    const ElementType type = *element_type_of(dtype);
    EXPECT_EQ(*dtype_of_typestring(*typestring_of(dtype)), dtype);
    EXPECT_EQ(*dtype_of_dlpack(type.dlpack_code, static_cast<uint8_t>(type.bytes * 8), 1), dtype);
  }
  EXPECT_FALSE(element_type_of(DType::kNone).ok());
}

TEST(ElementType, BufferFormats) {
  EXPECT_EQ(*dtype_of_buffer_format("B", 1), DType::kUint8);
  EXPECT_EQ(*dtype_of_buffer_format("<f", 4), DType::kFloat);
  EXPECT_EQ(*dtype_of_buffer_format("e", 2), DType::kFloat16);
  EXPECT_EQ(*dtype_of_buffer_format("l", 8), DType::kInt64);
  EXPECT_EQ(*dtype_of_buffer_format("l", 4), DType::kInt32);
  EXPECT_EQ(*dtype_of_buffer_format("?", 1), DType::kBool);
  for (const char* refused : {"", "O", ">f", "Zf", "T{i:x:}", "3s", "ff"}) {
    EXPECT_FALSE(dtype_of_buffer_format(refused, 4).ok()) << refused;
  }
}

TEST(ElementType, RefusesWhatItDoesNotHave) {
  for (const char* refused : {"", "<", ">f4", "<c8", "<f3", "|V8", "<f16", "<M8"}) {
    EXPECT_FALSE(dtype_of_typestring(refused).ok()) << refused;
  }
  EXPECT_FALSE(dtype_of_dlpack(2, 32, 4).ok());
  EXPECT_FALSE(dtype_of_dlpack(4, 16, 1).ok());  // bfloat16
}

}  // namespace
}  // namespace forebay::exchange
