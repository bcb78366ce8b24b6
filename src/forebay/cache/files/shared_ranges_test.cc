#include "forebay/cache/files/shared_ranges.h"

#include <gtest/gtest.h>

#include <array>

namespace forebay::cache {
namespace {

class SharedRangesTest : public ::testing::Test {
 protected:
  bool is_found(size_t offset, size_t size) const {
    return ranges_.find({memory_.data() + offset, size}).has_value();
  }

  std::array<std::byte, 100> memory_{};
  SharedRanges ranges_;
};

TEST_F(SharedRangesTest, BytesLieWhollyInOneRange) {
  const uint64_t first = ranges_.add({memory_.data() + 10, 40}, "first");
  ranges_.add({memory_.data() + 50, 20}, "second");
  EXPECT_TRUE(is_found(10, 40));
  EXPECT_TRUE(is_found(49, 1));
  EXPECT_FALSE(is_found(9, 2));
  EXPECT_FALSE(is_found(49, 2));
  const std::optional<SharedPlace> place = ranges_.find({memory_.data() + 15, 5});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->range, first);
  EXPECT_EQ(place->range_bytes, 40u);
  EXPECT_EQ(place->offset_bytes, 5u);
}

// Memory behind a range is often mapped right at its end, and is something else.
TEST_F(SharedRangesTest, WhatBeginsAtAnEndIsInNoRange) {
  ranges_.add({memory_.data() + 10, 40}, "first");
  EXPECT_TRUE(is_found(10, 0));
  EXPECT_TRUE(is_found(49, 0));
  EXPECT_FALSE(is_found(50, 0));
  EXPECT_FALSE(is_found(50, 1));
  EXPECT_FALSE(is_found(9, 0));
}

}  // namespace
}  // namespace forebay::cache
