// Extents by the letters of a layout, and which are refused.
#include "forebay/operators/boxes/named_extents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace forebay::operators {
namespace {

using ::testing::ElementsAre;

TEST(NamedExtents, ComeInTheOrderOfTheLetters) {
  const std::vector<int64_t> given{4, 5, 3, 7};
  EXPECT_THAT(*named_extents("shape", given, "HWCD", "WH"), ElementsAre(5, 4, 1));
  EXPECT_THAT(*named_extents("shape", given, "HWCD", "WHD"), ElementsAre(5, 4, 7));
}

TEST(NamedExtents, AreThereAndNeitherNoneNorTooLarge) {
  for (const auto& given : std::vector<std::vector<int64_t>>{{4}, {4, 0}, {-1, 4}, {4, (1 << 24) + 1}}) {
    EXPECT_FALSE(named_extents("shape", given, "HW", "WH").ok());
  }
  const std::vector<int64_t> square{4, 4};
  EXPECT_FALSE(named_extents("shape", square, "HC", "WH").ok());
}

}  // namespace
}  // namespace forebay::operators
