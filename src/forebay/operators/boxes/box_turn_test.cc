// Boxes turned with their images. tests/parity compares bbox_rotate with DALI's.
#include "forebay/operators/boxes/box_turn.h"

#include <gtest/gtest.h>

#include <cmath>

namespace forebay::operators {
namespace {

Box plane_box(float left, float top, float right, float bottom) {
  Box box;
  box.low = {left, top, 0};
  box.high = {right, bottom, 0};
  return box;
}

void expect_box(const Box& box, const Box& expected) {
  for (size_t axis = 0; axis < 2; ++axis) {
    EXPECT_NEAR(box.low[axis], expected.low[axis], 1e-4);
    EXPECT_NEAR(box.high[axis], expected.high[axis], 1e-4);
  }
}

TEST(BoxTurn, AQuarterBringsTheRightEdgeUp) {
  const BoxTurn quarter(90, {8, 4}, {4, 8});
  expect_box(quarter.turned(plane_box(6, 0, 8, 1), false, 0), plane_box(0, 0, 1, 2));
  expect_box(quarter.turned(plane_box(0.75f, 0, 1, 0.25f), true, 0), plane_box(0, 0, 1, 2));
}

TEST(BoxTurn, EnclosesOrKeepsItsExtents) {
  const BoxTurn eighth(45, {10, 10}, {20, 20});
  const Box box = plane_box(4, 4, 6, 6);
  const float reach = std::sqrt(2.0f);
  expect_box(eighth.turned(box, false, 0), plane_box(10 - reach, 10 - reach, 10 + reach, 10 + reach));
  expect_box(eighth.turned(box, false, 1), plane_box(9, 9, 11, 11));
}

TEST(BoxTurn, ShrinksABoxThatStandsUpToItsOwnSides) {
  const BoxTurn steep(80, {20, 20}, {20, 20});
  const Box turned = steep.turned(plane_box(5, 9, 15, 11), false, 1);
  EXPECT_NEAR(turned.extent(0), 2, 1e-4);
  EXPECT_NEAR(turned.extent(1), 10, 1e-4);
}

TEST(BoxTurn, ClipsToTheCanvas) {
  const BoxTurn still(0, {10, 10}, {10, 10});
  Box half_outside = plane_box(-2, 3, 2, 6);
  EXPECT_FLOAT_EQ(still.clip(half_outside), 0.5f);
  expect_box(half_outside, plane_box(0, 3, 2, 6));
}

}  // namespace
}  // namespace forebay::operators
