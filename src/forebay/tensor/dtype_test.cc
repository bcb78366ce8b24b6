#include "forebay/tensor/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace forebay::tensor {
namespace {

// The value of a half by its definition: sign, exponent, mantissa.
double value_of(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

Float16 half(uint16_t bits) {
  Float16 result;
  result.bits = bits;
  return result;
}

TEST(Float16, EveryFiniteHalfIsExactAsFloatAndComesBack) {
  for (int number = 0; number < 0x10000; ++number) {
    const auto bits = static_cast<uint16_t>(number);
    if (((bits >> 10) & 0x1F) == 0x1F) {
      continue;
    }
    const auto value = static_cast<float>(half(bits));
    EXPECT_EQ(static_cast<double>(value), value_of(bits)) << number;
    EXPECT_EQ(Float16(value).bits, bits) << number;
  }
}

TEST(Float16, RoundsToNearestTiesToEven) {
  for (int number = 0; number < 0x7BFF; ++number) {
    const auto bits = static_cast<uint16_t>(number);
    const double low = value_of(bits);
    const double high = value_of(static_cast<uint16_t>(bits + 1));
    const auto middle = static_cast<float>((low + high) / 2);
    const uint16_t even = (bits & 1) == 0 ? bits : static_cast<uint16_t>(bits + 1);
    EXPECT_EQ(Float16(middle).bits, even) << number;
    EXPECT_EQ(Float16(std::nextafter(middle, 0.0f)).bits, bits) << number;
    EXPECT_EQ(Float16(std::nextafter(middle, 1e9f)).bits, bits + 1) << number;
  }
}

TEST(Float16, EndsOfTheRange) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Float16(65504.0f).bits, 0x7BFF);
  EXPECT_EQ(Float16(65519.99f).bits, 0x7BFF);
  EXPECT_EQ(Float16(65520.0f).bits, 0x7C00);
  EXPECT_EQ(Float16(-infinity).bits, 0xFC00);
  EXPECT_EQ(static_cast<float>(half(0x7C00)), infinity);
  EXPECT_TRUE(std::isnan(static_cast<float>(Float16(std::nanf("")))));
  EXPECT_EQ(Float16(-0.0f).bits, 0x8000);
  EXPECT_EQ(Float16(1e-10f).bits, 0);
}

TEST(DType, NamesAndSizesAgreeWithTheTypes) {
  for (int number = 0; number <= static_cast<int>(DType::kBool); ++number) {
    const auto dtype = static_cast<DType>(number);
    EXPECT_EQ(*dtype_of(name_of(dtype)), dtype);
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      EXPECT_EQ(size_of(dtype), sizeof(T));
      EXPECT_EQ(kDTypeOf<T>, dtype);
    });
  }
  EXPECT_EQ(size_of(DType::kNone), 0u);
  EXPECT_EQ(dtype_of("float128").status().code(), StatusCode::kInvalidArgument);
}

TEST(DType, Kinds) {
  EXPECT_TRUE(is_floating(DType::kFloat16));
  EXPECT_FALSE(is_floating(DType::kInt64));
  EXPECT_TRUE(is_integer(DType::kUint8));
  EXPECT_FALSE(is_integer(DType::kBool));
  EXPECT_TRUE(is_signed(DType::kInt8));
  EXPECT_FALSE(is_signed(DType::kUint64));
}

}  // namespace
}  // namespace forebay::tensor
