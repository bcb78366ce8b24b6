#include "forebay/base/random/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace forebay {
namespace {

using Words = std::array<uint32_t, 4>;

// The known answers that Philox's authors publish with Random123 (kat_vectors, philox4x32 10).
TEST(RandomTest, PhiloxKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomTest, AStreamIsTheBlocksOfItsCounter) {
  RandomStream stream(0x299f31d0a4093822u, 0x0370734413198a2eu, 0x85a308d3);
  for (uint32_t block = 0; block < 3; ++block) {
    const Words words = philox4x32({block, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0});
    for (const uint32_t word : words) {
      EXPECT_EQ(stream.next_u32(), word);
    }
  }
}

TEST(RandomTest, KeysDifferInEachPart) {
  std::set<uint64_t> keys;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint64_t epoch = 0; epoch < 10; ++epoch) {
      for (const char* name : {"crop", "flip", "", "a", "b"}) {
        keys.insert(random_key(seed, epoch, hash64(name)));
      }
    }
  }
  EXPECT_EQ(keys.size(), 500);
}

TEST(RandomTest, UniformStaysInRangeWithTheRightMean) {
  RandomStream stream(1, 2);
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const float value = stream.uniform(-1.0f, 3.0f);
    ASSERT_GE(value, -1.0f);
    ASSERT_LT(value, 3.0f);
    sum += value;
  }
  EXPECT_NEAR(sum / 100000, 1.0, 0.02);
  EXPECT_EQ(stream.uniform(5.0f, 5.0f), 5.0f);
}

TEST(RandomTest, BelowIsUniform) {
  RandomStream stream(3, 4);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) {
    ++counts[stream.below(7)];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10000, 500);
  }
  EXPECT_EQ(stream.below(0), 0);
  EXPECT_EQ(stream.below(1), 0);
}

TEST(RandomTest, NormalHasMeanZeroAndVarianceOne) {
  RandomStream stream(5, 6);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = stream.normal();
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.02);
  EXPECT_NEAR(squares / 100000, 1, 0.02);
}

}  // namespace
}  // namespace forebay
