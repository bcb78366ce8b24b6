// Waits inside tasks that could not end, and those that must.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/engine/engine.h"

namespace forebay::engine {
namespace {

Status nothing() {
  return ok_status();
}

TEST(EngineWaitTest, AWaitForALaneEndsWhenWhatComesAfterTheWaiterIsPushedIntoIt) {
  Engine engine({.workers = 0});
  const LaneRef lane = engine.new_lane({.name = "lane"});
  const LaneRef awaited = engine.new_lane({.name = "awaited"});
  const Variable x = engine.new_variable();
  Completion busy = *engine.push_open(awaited, {.name = "busy"});
  Status waited;
  int asked = 0;
  const auto push_a_follower = [&] {
    EXPECT_EQ(++asked, 1);
    EXPECT_TRUE(engine.push(awaited, {.name = "unrelated"}, nothing).ok());
    EXPECT_TRUE(engine.push(awaited, {.name = "follower", .reads = {x}}, nothing).ok());
    return asked > 1;
  };
  const auto wait = [&] {
    waited = engine.wait_all(awaited, {.interrupted = push_a_follower});
    return ok_status();
  };
  ASSERT_TRUE(engine.push(lane, {.name = "waits", .writes = {x}}, wait).ok());
  while (engine.step()) {
  }
  EXPECT_EQ(waited.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(message(waited),
            "task 'waits' would wait for itself: what it waits for comes after task 'waits'");
  busy.complete(ok_status());
  EXPECT_TRUE(engine.wait_all(awaited).ok());
  EXPECT_TRUE(engine.wait_all(lane).ok());
}

}  // namespace
}  // namespace forebay::engine
