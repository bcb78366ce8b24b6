// Who parses long bodies: one that takes long, and the end.
#include "forebay/serving/http/large_bodies.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <semaphore>
#include <thread>

namespace forebay::serving {
namespace {

constexpr std::chrono::minutes kPatienceOfBodies(1);

TEST(LargeBodiesTest, OneThatTakesLongHoldsUpNobody) {
  std::counting_semaphore<> go_on(0);  // these outlive the threads
  std::counting_semaphore<> done(0);
  Result<std::unique_ptr<LargeBodies>> bodies = LargeBodies::start(1);
  ASSERT_TRUE(bodies.ok());
  ASSERT_TRUE((*bodies)->add([&](const std::stop_token&) { go_on.try_acquire_for(kPatienceOfBodies); }).ok());
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE((*bodies)->add([&](const std::stop_token&) { done.release(); }).ok());
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(done.try_acquire_for(kPatienceOfBodies));
  }
  go_on.release();
}

TEST(LargeBodiesTest, ThreadsThatCannotBeAreAnError) {
  EXPECT_FALSE(LargeBodies::start(std::numeric_limits<size_t>::max()).ok());
}

TEST(LargeBodiesTest, TheEndWaitsForNothingThatCanBeGivenUp) {
  std::counting_semaphore<> begun(0);
  std::atomic<int> waiting_ran = 0;
  const auto until = std::chrono::steady_clock::now() + kPatienceOfBodies;
  Result<std::unique_ptr<LargeBodies>> bodies = LargeBodies::start(1);
  ASSERT_TRUE(bodies.ok());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE((*bodies)
                    ->add([&, until](const std::stop_token& stop) {
                      begun.release();
                      while (!stop.stop_requested() && std::chrono::steady_clock::now() < until) {
                        std::this_thread::yield();
                      }
                    })
                    .ok());
  }
  begun.acquire();
  begun.acquire();
  ASSERT_TRUE((*bodies)->add([&](const std::stop_token&) { ++waiting_ran; }).ok());
  (*bodies)->stop();
  EXPECT_LT(std::chrono::steady_clock::now(), until);
  EXPECT_EQ(waiting_ran, 0);
  EXPECT_EQ((*bodies)->add([](const std::stop_token&) {}).code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace forebay::serving
