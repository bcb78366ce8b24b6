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

/// Room for so many buffers.
BlasBuffers buffers_for(int count) {
  return BlasBuffers(
      [left = count](uint64_t bytes) mutable { return bytes == kBlasBufferBytes && left-- > 0; });
}

TEST(BlasBuffersTest, WithoutRoomForOneAProductIsAnError) {
  BlasBuffers buffers = buffers_for(0);
  const Status status = buffers.use([] { ADD_FAILURE() << "OpenBLAS would never return"; });
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(message(status).find("ulimit -v"), std::string_view::npos);
}

TEST(BlasBuffersTest, ABufferThatIsThereServesLaterProducts) {
  BlasBuffers buffers = buffers_for(1);
  for (int product = 0; product < 3; ++product) {
    EXPECT_TRUE(buffers.use([] {}).ok());
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
                        .use([&] {
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

TEST(BlasBuffersTest, NobodyElseGrowsWhileABufferIsMapped) {
  BlasBuffers buffers = buffers_for(8);
  EXPECT_TRUE(buffers.use([] {}).ok());
  std::latch is_growing(1);
  std::latch may_end(1);
  std::atomic<bool> has_third = false;
  std::thread first([&] {
    EXPECT_TRUE(buffers
                    .use([&] {
                      std::thread([&] {
                        EXPECT_TRUE(buffers
                                        .use([&] {  // the second buffer is new: a third waits
                                          is_growing.count_down();
                                          may_end.wait();
                                          EXPECT_FALSE(has_third);
                                        })
                                        .ok());
                      }).join();
                    })
                    .ok());
  });
  is_growing.wait();
  std::thread third([&] { EXPECT_TRUE(buffers.use([&] { has_third = true; }).ok()); });
  may_end.count_down();
  third.join();
  first.join();
}

TEST(BlasBuffersTest, WhatOtherThreadsUsedIsLostInAChild) {
  BlasBuffers buffers = buffers_for(2);
  std::latch is_there(1);
  std::latch may_end(1);
  std::thread other([&] {
    EXPECT_TRUE(buffers
                    .use([&] {
                      is_there.count_down();
                      may_end.wait();
                    })
                    .ok());
  });
  is_there.wait();
  buffers.forget_other_threads();  // as in a child, where the other thread is not
  for (int product = 0; product < 3; ++product) {
    EXPECT_TRUE(buffers.use([] {}).ok());
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
