#include "forebay/pipeline/schedule/turns.h"

#include <gtest/gtest.h>

namespace forebay::pipeline {
namespace {

BatchRef numbered_batch(int64_t iteration) {
  auto batch = std::make_shared<BatchJob>(1, 1, 1);
  batch->iteration = iteration;
  return batch;
}

TEST(TurnsTest, BatchesThatComeEarlyWait) {
  Turns turns;
  const BatchRef batches[] = {numbered_batch(0), numbered_batch(1), numbered_batch(2)};
  EXPECT_FALSE(turns.take(batches[2]));
  EXPECT_TRUE(turns.take(batches[0]));
  EXPECT_EQ(turns.pass(0), nullptr);  // batch 1 has not come yet
  EXPECT_TRUE(turns.take(batches[1]));
  EXPECT_EQ(turns.pass(1), batches[2]);
  EXPECT_TRUE(turns.take(batches[2]));
}

TEST(TurnsTest, BatchesThatNeverComeAreNotWaitedFor) {
  Turns turns;
  const BatchRef last = numbered_batch(3);
  EXPECT_FALSE(turns.take(last));
  EXPECT_EQ(turns.pass(1), nullptr);
  EXPECT_EQ(turns.pass(2), nullptr);
  EXPECT_EQ(turns.pass(0), last);
}

TEST(TurnsTest, ABatchMayComeAgain) {
  Turns turns;
  const BatchRef first = numbered_batch(0);
  const BatchRef second = numbered_batch(1);
  EXPECT_TRUE(turns.take(first));
  EXPECT_FALSE(turns.take(second));
  turns.leave(1);
  EXPECT_EQ(turns.pass(0), nullptr);
  EXPECT_TRUE(turns.take(first));
  EXPECT_EQ(turns.pass(0), nullptr);
  EXPECT_TRUE(turns.take(second));
}

// One was said not to come, and is made again; what is said of it may come late.
TEST(TurnsTest, ABatchThatPassedMayComeAgain) {
  for (const bool is_told_late : {false, true}) {
    Turns turns;
    const BatchRef again = numbered_batch(1);
    if (!is_told_late) {
      EXPECT_EQ(turns.pass(1), nullptr);
    }
    EXPECT_FALSE(turns.take(again));
    if (is_told_late) {
      EXPECT_EQ(turns.pass(1), nullptr);
    }
    EXPECT_EQ(turns.pass(0), again);
  }
}

}  // namespace
}  // namespace forebay::pipeline
