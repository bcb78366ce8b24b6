// Turns of products where memory for OpenBLAS's buffers is short.
#include "forebay/kernels/linear_algebra/blas_buffers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <limits>
#include <thread>
#include <vector>

namespace forebay::kernels {
namespace {

constexpr bool kTakesOne = true;
constexpr bool kMayTakeNone = false;

/// Room for so many buffers.
BlasBuffers buffers_for(int count) {
  return BlasBuffers(
      [left = count](uint64_t bytes) mutable { return bytes == kBlasBufferBytes && left-- > 0; });
}

TEST(BlasBuffersTest, WithoutRoomForOneAProductIsAnError) {
  BlasBuffers buffers = buffers_for(0);
  const Status status = buffers.use(kTakesOne, [] { ADD_FAILURE() << "OpenBLAS would never return"; });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(message(status).find("ulimit -v"), std::string_view::npos);
}

TEST(BlasBuffersTest, ABufferThatIsThereServesLaterProducts) {
  BlasBuffers buffers = buffers_for(1);
  for (int product = 0; product < 3; ++product) {
    EXPECT_TRUE(buffers.use(kTakesOne, [] {}).ok());
  }
}

TEST(BlasBuffersTest, WhereThereIsRoomForTwoTwoAreUnderWay) {
  BlasBuffers buffers = buffers_for(2);
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      for (int product = 0; product < 200; ++product) {
        EXPECT_TRUE(buffers
                        .use(kTakesOne,
                             [&] {
                               const int beside = ++now;
                               int seen = most;
                               while (seen < beside && !most.compare_exchange_weak(seen, beside)) {
                               }
                               std::this_thread::yield();
                               --now;
                             })
                        .ok());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_LE(most, 2);
}

TEST(BlasBuffersTest, TheRoomOfABufferThatIsBeingMappedIsNotFoundTwice) {
  std::atomic<bool> is_decided = false;
  const auto decide = [&] {
    is_decided = true;
    is_decided.notify_all();
  };
  BlasBuffers buffers([&](uint64_t bytes) {  // room for one, which is found until it is mapped
    if (bytes > kBlasBufferBytes) {
      decide();
    }
    return bytes == kBlasBufferBytes;
  });
  std::atomic<bool> has_second = false;
  std::thread second;
  const auto use_beside = [&] {
    EXPECT_TRUE(buffers.use(kTakesOne, [&] { has_second = true; }).ok());
    decide();
  };
  const auto multiply = [&] {
    second = std::thread(use_beside);
    is_decided.wait(false);
    EXPECT_FALSE(has_second) << "it found the same room";
  };
  EXPECT_TRUE(buffers.use(kTakesOne, multiply).ok());
  second.join();
  EXPECT_TRUE(has_second) << "it has the first's buffer";
}

TEST(BlasBuffersTest, AProductThatMayHaveDoneWithoutLeavesNone) {
  BlasBuffers buffers = buffers_for(1);
  EXPECT_TRUE(buffers.use(kMayTakeNone, [] {}).ok());
  const Status status = buffers.use(kTakesOne, [] { ADD_FAILURE() << "OpenBLAS would never return"; });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
}

TEST(BlasBuffersTest, AProductThatMayDoWithoutUsesABufferThatIsThere) {
  BlasBuffers buffers = buffers_for(1);
  EXPECT_TRUE(buffers.use(kTakesOne, [] {}).ok());
  for (int product = 0; product < 3; ++product) {
    EXPECT_TRUE(buffers.use(kMayTakeNone, [] {}).ok());
  }
}

TEST(BlasBuffersTest, WhatOtherThreadsUsedIsLostInAChild) {
  BlasBuffers buffers = buffers_for(2);
  std::latch is_there(1);
  std::latch may_end(1);
  std::thread other([&] {
    EXPECT_TRUE(buffers
                    .use(kTakesOne,
                         [&] {
                           is_there.count_down();
                           may_end.wait();
                         })
                    .ok());
  });
  is_there.wait();
  buffers.forget_other_threads();  // as in a child, where the other thread is not
  for (int product = 0; product < 3; ++product) {
    EXPECT_TRUE(buffers.use(kTakesOne, [] {}).ok());
  }
  may_end.count_down();
  other.join();
}

TEST(BlasBuffersTest, MappingIsTried) {
  EXPECT_TRUE(BlasBuffers::can_map_now(1 << 20));
  EXPECT_FALSE(BlasBuffers::can_map_now(std::numeric_limits<uint64_t>::max() / 2));
}

}  // namespace
}  // namespace forebay::kernels
