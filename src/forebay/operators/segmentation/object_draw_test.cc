// Which objects are drawn, and that a class without any that is large enough is drawn no more.
#include "forebay/operators/segmentation/object_draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace forebay::operators {
namespace {

using ::testing::ElementsAre;

/// A square at (0, 0).
Blob square(int64_t label, int32_t side) {
  Blob blob;
  blob.label = label;
  blob.high = {side, side};
  return blob;
}

/// The sides of the squares that are drawn in many tries.
template <class Draw>
std::set<int32_t> sides_drawn(Draw draw) {
  std::set<int32_t> sides;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RandomStream stream(seed, 1);
    const std::optional<Blob> drawn = draw(stream);
    sides.insert(drawn ? drawn->high[0] : 0);
  }
  return sides;
}

const std::vector<Blob>& squares() {
  static const std::vector<Blob> all{square(5, 1), square(7, 4), square(5, 2), square(5, 3)};
  return all;
}

TEST(ObjectDraw, TakesAnyThatIsLargeEnough) {
  const std::vector<int64_t> two{2};
  const std::vector<int64_t> each{2, 4};
  const auto any = [](std::span<const int64_t> least, std::optional<int64_t> most) {
    return sides_drawn(
        [&](RandomStream& stream) { return ObjectDraw(squares(), 2, least, most).any(stream); });
  };
  EXPECT_THAT(any({}, {}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(any(two, {}), ElementsAre(2, 3, 4));
  EXPECT_THAT(any(each, {}), ElementsAre(4));
  EXPECT_THAT(any({}, 2), ElementsAre(3, 4));
}

TEST(ObjectDraw, DrawsOfAClass) {
  const std::vector<int64_t> four{4};
  const auto of = [](ClassChances chances, std::span<const int64_t> least = {}) {
    return sides_drawn(
        [&](RandomStream& stream) { return ObjectDraw(squares(), 2, least, {}).by_class(chances, stream); });
  };
  EXPECT_THAT(of({{5, 1}, {7, 0}}), ElementsAre(1, 2, 3));
  EXPECT_THAT(of({{5, 1}, {7, 1}}, four), ElementsAre(4)) << "none of class 5 is large enough";
  EXPECT_THAT(of({{5, 1}, {9, 100}}, four), ElementsAre(0)) << "nor is there class 9";
  EXPECT_THAT(of({}), ElementsAre(0));
  EXPECT_THAT(
      sides_drawn([](RandomStream& stream) { return ObjectDraw(squares(), 2, {}, {}).by_class(stream); }),
      ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace forebay::operators
