// The loops of color_rows.h against the plain formula, at sizes around those of vectors.
#include "forebay/kernels/image/color_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "forebay/kernels/generic/convert.h"

namespace forebay::kernels {
namespace {

std::vector<uint8_t> color_bytes(int64_t size) {
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(i * 37 + i / 7);
  }
  return bytes;
}

TEST(ColorRows, ScalesAsTheFormulaSays) {
  for (int64_t size = 1; size < 140; ++size) {
    const std::vector<uint8_t> in = color_bytes(size);
    for (const auto& [factor, addend] :
         std::vector<std::pair<float, float>>{{1.3f, 0.5f}, {-0.5f, 128}, {1e30f, -1}, {0.5f, 0}}) {
      std::vector<uint8_t> bytes(in.size());
      std::vector<float> floats(in.size());
      scale_and_add(in.data(), size, factor, addend, bytes.data());
      scale_and_add(in.data(), size, factor, addend, floats.data());
      for (size_t i = 0; i < in.size(); ++i) {
        const float expected = static_cast<float>(in[i]) * factor + addend;
        ASSERT_EQ(floats[i], expected);
        ASSERT_EQ(bytes[i], convert_saturated<uint8_t>(expected)) << expected;
      }
    }
  }
}

TEST(ColorRows, MixesAsTheFormulaSays) {
  const ColorRows rows{{{{0.3f, 0.6f, 0.1f}, 0.5f}, {{-1, 2, 0.25f}, 10}, {{0, 0, 1}, 0}}};
  for (int64_t pixels = 1; pixels < 70; ++pixels) {
    const std::vector<uint8_t> in = color_bytes(3 * pixels);
    std::vector<uint8_t> bytes(in.size());
    std::vector<float> floats(in.size());
    std::vector<uint8_t> mixed(static_cast<size_t>(pixels));
    transform_three(in.data(), pixels, rows, bytes.data());
    transform_three(in.data(), pixels, rows, floats.data());
    mix_three(in.data(), pixels, rows[1], mixed.data());
    for (size_t i = 0; i < in.size(); ++i) {
      const uint8_t* pixel = in.data() + i / 3 * 3;
      const ColorRow& row = rows[i % 3];
      const float expected = row.weights[0] * static_cast<float>(pixel[0]) +
                             row.weights[1] * static_cast<float>(pixel[1]) +
                             row.weights[2] * static_cast<float>(pixel[2]) + row.offset;
      ASSERT_EQ(floats[i], expected);
      ASSERT_EQ(bytes[i], convert_saturated<uint8_t>(expected));
      if (i % 3 == 1) {
        ASSERT_EQ(mixed[i / 3], bytes[i]);
      }
    }
  }
}

TEST(ColorRows, SwapsInPlaceToo) {
  for (int64_t pixels = 1; pixels < 140; ++pixels) {
    const std::vector<uint8_t> in = color_bytes(3 * pixels);
    std::vector<uint8_t> out = in;
    swap_three(out.data(), pixels, out.data());
    for (size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i], in[i / 3 * 3 + 2 - i % 3]);
    }
  }
}

TEST(ColorRows, WhatIsNoNumberIsZero) {
  const std::vector<uint8_t> in(40, 0);
  std::vector<uint8_t> out(in.size(), 9);
  scale_and_add(in.data(), 40, std::numeric_limits<float>::infinity(), 1, out.data());
  EXPECT_THAT(out, ::testing::Each(0));
}

}  // namespace
}  // namespace forebay::kernels
