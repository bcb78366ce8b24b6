// Which axes a plan for any tensor works on, and what the others become.
#include "forebay/operators/resampling/folded_plan.h"

#include <gtest/gtest.h>

#include <vector>

namespace forebay::operators {
namespace {

/// Axes of `shape`, whole, with the extents `becomes`.
std::vector<ResizedAxis> resized_to(const Shape& shape, const Shape& becomes) {
  std::vector<ResizedAxis> axes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    axes.push_back({shape[axis], becomes[axis], 0, static_cast<float>(shape[axis])});
  }
  return axes;
}

Shape folded(const Shape& shape, const Shape& becomes) {
  const auto plan = folded_plan(shape, resized_to(shape, becomes));
  EXPECT_TRUE(plan.ok());
  return plan.ok() ? folded_spec({shape, DType::kUint8, {}}, *plan).shape : Shape();
}

TEST(FoldedPlan, TakesTheAxesThatChangeAndThoseBetween) {
  EXPECT_EQ(folded({2, 3, 4, 5, 6}, {2, 3, 8, 9, 6}), (Shape{6, 4, 5, 6}));
  EXPECT_EQ(folded({2, 3, 4, 5, 6}, {2, 1, 4, 9, 6}), (Shape{2, 3, 4, 5, 6}));
}

TEST(FoldedPlan, TakesASingleAxisForRowsUnlessItIsTheLast) {
  EXPECT_EQ(folded({2, 3, 4}, {2, 7, 4}), (Shape{2, 3, 1, 4}));
  EXPECT_EQ(folded({2, 3}, {2, 7}), (Shape{2, 1, 3, 1}));
  EXPECT_EQ(folded({2, 3}, {2, 3}), (Shape{1, 2, 1, 3})) << "nothing changes";
}

TEST(FoldedPlan, TakesTheNextAxisForColumnsWhereChannelsWouldBeTooMany) {
  EXPECT_EQ(folded({2, 4096, 4096}, {1, 4096, 4096}), (Shape{1, 2, 1, 4096 * 4096}));
  EXPECT_EQ(folded({2, 4096, 4097}, {1, 4096, 4097}), (Shape{1, 2, 4096, 4097}));
}

TEST(FoldedPlan, TakesARegionForAChange) {
  std::vector<ResizedAxis> axes = resized_to({4, 5, 6}, {4, 5, 6});
  axes[1].lo = 1;
  const auto plan = folded_plan({4, 5, 6}, axes);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->space.outer, 4);
  EXPECT_EQ(plan->axes[0].lo, 1);
  EXPECT_EQ(plan->space.channels, 6);
}

TEST(FoldedPlan, TakesThreeNeighboursAtMost) {
  EXPECT_FALSE(folded_plan({2, 3, 4, 5}, resized_to({2, 3, 4, 5}, {1, 3, 4, 6})).ok());
  EXPECT_FALSE(folded_plan({}, {}).ok());
}

}  // namespace
}  // namespace forebay::operators
