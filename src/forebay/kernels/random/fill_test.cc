#include "forebay/kernels/random/fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "forebay/base/random/random.h"

namespace forebay::kernels {
namespace {

TEST(FillTest, WordsAreThoseOfPhilox) {
  constexpr uint64_t kKey = 0x0123456789ABCDEF;
  constexpr uint64_t kFirst = (uint64_t{1} << 33) + 7;
  std::vector<uint32_t> words(4 * 21);
  random_words(kKey, kFirst, words);
  for (uint64_t block = 0; block < 21; ++block) {
    const auto position = kFirst + block;
    const auto expected =
        philox4x32({0, 0, static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32)},
                   {0x89ABCDEF, 0x01234567});
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(words[4 * block + i], expected[i]);
    }
  }
}

template <class T>
void expect_any_part_is_the_same(void (*fill)(uint64_t, uint64_t, double, double, std::span<T>)) {
  std::vector<T> whole(5003);
  fill(9, 0, -1, 2, whole);
  for (const size_t first : {4U, 1024U, 4096U}) {
    std::vector<T> part(whole.size() - first);
    fill(9, first, -1, 2, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first)));
  }
}

TEST(FillTest, AnyPartMayBeFilledByItself) {
  expect_any_part_is_the_same<float>(&fill_uniform);
  expect_any_part_is_the_same<double>(&fill_uniform);
  expect_any_part_is_the_same<float>(&fill_normal);
  expect_any_part_is_the_same<double>(&fill_normal);
}

TEST(FillTest, MomentsAreThoseOfTheDistribution) {
  std::vector<double> values(1 << 20);
  fill_normal(3, 0, 2, 0.5, values);
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value - 2;
    squares += (value - 2) * (value - 2);
  }
  const auto count = static_cast<double>(values.size());
  EXPECT_NEAR(sum / count, 0, 0.002);
  EXPECT_NEAR(std::sqrt(squares / count), 0.5, 0.002);
}

TEST(FillTest, IntegersStayInTheirRange) {
  std::vector<int64_t> values(10000);
  fill_integers(5, 0, -2, 3, values);
  std::vector<int> counts(5);
  for (const int64_t value : values) {
    ASSERT_GE(value, -2);
    ASSERT_LT(value, 3);
    ++counts[static_cast<size_t>(value + 2)];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 2000, 200);
  }
}

}  // namespace
}  // namespace forebay::kernels
