#include "forebay/base/random/permutation.h"

#include <gtest/gtest.h>

#include <vector>

namespace forebay {
namespace {

TEST(PermutationTest, IsABijectionWithAnInverse) {
  for (const uint64_t size : {1u, 2u, 3u, 4u, 5u, 16u, 17u, 100u, 255u, 257u, 1000u, 4097u}) {
    for (const uint64_t key : {0u, 1u, 99u}) {
      const Permutation permutation(key, size);
      std::vector<bool> seen(size);
      for (uint64_t position = 0; position < size; ++position) {
        const uint64_t element = permutation(position);
        ASSERT_LT(element, size);
        ASSERT_FALSE(seen[element]);
        seen[element] = true;
        ASSERT_EQ(permutation.inverse(element), position);
      }
    }
  }
}

TEST(PermutationTest, WorksForHugeSizes) {
  for (const uint64_t size : {uint64_t{1} << 32, (uint64_t{1} << 32) + 1, uint64_t{1} << 63, ~uint64_t{0}}) {
    const Permutation permutation(7, size);
    for (const uint64_t position : {uint64_t{0}, uint64_t{1}, size / 2, size - 1}) {
      const uint64_t element = permutation(position);
      EXPECT_LT(element, size);
      EXPECT_EQ(permutation.inverse(element), position);
    }
  }
}

TEST(PermutationTest, KeysGiveDifferentOrders) {
  const Permutation a(1, 1000);
  const Permutation b(2, 1000);
  int equal = 0;
  int in_place = 0;
  for (uint64_t position = 0; position < 1000; ++position) {
    equal += a(position) == b(position);
    in_place += a(position) == position;
  }
  EXPECT_LT(equal, 10);
  EXPECT_LT(in_place, 10);
}

// The order is part of the meaning of a recorded run: it must never change.
TEST(PermutationTest, TheOrderIsFixed) {
  const Permutation permutation(42, 10);
  std::vector<uint64_t> order;
  for (uint64_t position = 0; position < 10; ++position) {
    order.push_back(permutation(position));
  }
  EXPECT_EQ(order, (std::vector<uint64_t>{0, 5, 4, 9, 1, 2, 6, 3, 7, 8}));
}

TEST(PermutationDeathTest, OutsideOfItsRangeIsABug) {
  const Permutation permutation(1, 10);
  EXPECT_DEATH(permutation(10), "position < size_");
}

}  // namespace
}  // namespace forebay
