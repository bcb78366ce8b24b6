// Turns of products where memory for OpenBLAS's buffers is short.
#include "forebay/kernels/linear_algebra/blas_buffers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <limits>
#include <thread>
#include <vector>

namespace forebay::kernels {
namespace {

/// As OpenBLAS, with room for so many buffers. It maps one where all that it has are in use.
class RoomFor {
 public:
  explicit RoomFor(int count) : room_(count) {}

  Status use(absl::FunctionRef<void()> multiply) {
    return buffers_.use([this](int count) { make(count); }, multiply);
  }
  /// A product that takes a buffer; `within`: what happens meanwhile.
  Status multiply(absl::FunctionRef<void()> within = [] {}) {
    return use([&] {
      EXPECT_LT(in_use_++, made_) << "OpenBLAS would ask for memory";
      within();
      --in_use_;
    });
  }
  BlasBuffers& buffers() { return buffers_; }
  int made() const { return made_; }
  /// Until room has been looked for so often.
  void await_asked(int count) const {
    for (int now = asked_; now < count; now = asked_) {
      asked_.wait(now);
    }
  }

 private:
  bool can_map(uint64_t bytes) {
    ++asked_;
    asked_.notify_all();
    return made_ * kBlasBufferBytes + bytes <= static_cast<uint64_t>(room_) * kBlasBufferBytes;
  }
  void make(int count) {
    EXPECT_EQ(in_use_, 0) << "it would not get the ones that are in use";
    EXPECT_LE(count, room_) << "OpenBLAS would never return";
    made_ = count;
  }

  const int room_;
  std::atomic<int> made_ = 0;
  std::atomic<int> in_use_ = 0;
  std::atomic<int> asked_ = 0;
  BlasBuffers buffers_{[this](uint64_t bytes) { return can_map(bytes); }};
};

TEST(BlasBuffersTest, WithoutRoomForOneAProductIsAnError) {
  RoomFor room(0);
  const Status status = room.multiply();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_NE(message(status).find("ulimit -v"), std::string_view::npos);
}

TEST(BlasBuffersTest, ABufferThatIsThereServesLaterProducts) {
  RoomFor room(1);
  for (int product = 0; product < 3; ++product) {
    EXPECT_TRUE(room.multiply().ok());
  }
}

TEST(BlasBuffersTest, AProductThatDoesWithoutLeavesOneForTheNext) {
  RoomFor room(1);
  EXPECT_TRUE(room.use([] {}).ok());
  EXPECT_EQ(room.made(), 1) << "before it was known whether it takes one";
  EXPECT_TRUE(room.multiply().ok());
}

TEST(BlasBuffersTest, ProductsTakeTurnsWithWhatThereIsRoomFor) {
  for (const int count : {1, 2, 8}) {
    RoomFor room(count);
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        for (int product = 0; product < 200; ++product) {
          EXPECT_TRUE(room.multiply(std::this_thread::yield).ok());
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_LE(room.made(), std::min(count, 6));
  }
}

TEST(BlasBuffersTest, WhereThereIsRoomProductsAreMadeBesideEachOther) {
  RoomFor room(2);
  std::latch both_are_under_way(2);
  const auto meet = [&] { both_are_under_way.arrive_and_wait(); };
  std::thread second;
  const auto until_second_asks = [&] {
    second = std::thread([&] { EXPECT_TRUE(room.multiply(meet).ok()); });
    room.await_asked(3);
  };
  EXPECT_TRUE(room.multiply(until_second_asks).ok());
  EXPECT_TRUE(room.multiply(meet).ok());
  second.join();
}

TEST(BlasBuffersTest, WhatOtherThreadsUsedIsLostInAChild) {
  RoomFor room(1);
  std::latch is_there(1);
  std::latch may_end(1);
  std::thread other([&] {
    const auto wait = [&] {
      is_there.count_down();
      may_end.wait();
    };
    EXPECT_TRUE(room.use(wait).ok());
  });
  is_there.wait();
  room.buffers().forget_other_threads();  // as in a child, where the other thread is not
  EXPECT_EQ(room.use([] {}).code(), StatusCode::kResourceExhausted);
  may_end.count_down();
  other.join();
}

TEST(BlasBuffersTest, MappingIsTried) {
  EXPECT_TRUE(BlasBuffers::can_map_now(1 << 20));
  EXPECT_FALSE(BlasBuffers::can_map_now(std::numeric_limits<uint64_t>::max() / 2));
}

}  // namespace
}  // namespace forebay::kernels
