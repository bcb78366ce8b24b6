#include "forebay/cache/store/read_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <vector>

namespace forebay::cache {
namespace {

using storage::Priority;
using ::testing::ElementsAre;

class ReadGateTest : public ::testing::Test {
 protected:
  /// Whoever leaves lets others in, so there may be more to empty than there was.
  ~ReadGateTest() override {
    while (!tickets_.empty()) {
      tickets_.extract(tickets_.begin());
    }
  }

  void enter(int name, uint64_t bytes, Priority priority = Priority::kDemand) {
    gate_->enter(bytes, priority, [this, name](ReadGate::Ticket ticket) {
      inside_.push_back(name);
      tickets_.emplace(name, std::move(ticket));
    });
  }
  void leave(int name) { tickets_.extract(name); }  // erase() of the last one forgets who comes in meanwhile

  uint64_t held_bytes_ = 0;
  std::shared_ptr<ReadGate> gate_ = std::make_shared<ReadGate>(100, [this] { return held_bytes_; });
  std::vector<int> inside_;
  std::map<int, ReadGate::Ticket> tickets_;
};

TEST_F(ReadGateTest, WhatHasNoRoomWaitsForItsTurn) {
  enter(1, 60);
  enter(2, 40);
  enter(3, 10);
  enter(4, 1);
  EXPECT_THAT(inside_, ElementsAre(1, 2));
  EXPECT_EQ(gate_->waiting(), 2u);
  leave(2);
  EXPECT_THAT(inside_, ElementsAre(1, 2, 3, 4));
}

TEST_F(ReadGateTest, WhoCameFirstIsNotOvertaken) {
  enter(1, 60);
  enter(2, 80);
  enter(3, 1);
  EXPECT_THAT(inside_, ElementsAre(1));
  leave(1);
  EXPECT_THAT(inside_, ElementsAre(1, 2, 3));
}

TEST_F(ReadGateTest, TheMostUrgentGoFirst) {
  enter(1, 60);
  enter(2, 80, Priority::kBulk);
  enter(3, 10, Priority::kPrefetch);  // there is room, and only what can wait longer waits
  enter(4, 70, Priority::kPrefetch);
  enter(5, 70, Priority::kDemand);
  enter(6, 30, Priority::kDemand);
  EXPECT_THAT(inside_, ElementsAre(1, 3));
  leave(1);
  EXPECT_THAT(inside_, ElementsAre(1, 3, 5));
  leave(5);
  EXPECT_THAT(inside_, ElementsAre(1, 3, 5, 6));
  leave(3);
  leave(6);
  EXPECT_THAT(inside_, ElementsAre(1, 3, 5, 6, 4));
  leave(4);
  EXPECT_THAT(inside_, ElementsAre(1, 3, 5, 6, 4, 2));
}

TEST_F(ReadGateTest, WhatIsLessUrgentGetsATurnNowAndThen) {
  enter(0, 60);
  enter(1000, 60, Priority::kBulk);
  enter(1001, 60, Priority::kPrefetch);
  for (int i = 1; i < 40; ++i) {
    enter(i, 60, Priority::kDemand);
  }
  while (gate_->waiting() > 0) {
    leave(inside_.back());
  }
  const auto place_of = [&](int name) { return std::ranges::find(inside_, name) - inside_.begin(); };
  EXPECT_EQ(place_of(1001), 8);
  EXPECT_EQ(place_of(1000), 16);
  EXPECT_EQ(place_of(39), 41);
}

TEST_F(ReadGateTest, MemoryThatIsHeldCounts) {
  held_bytes_ = 80;
  enter(1, 5);
  enter(2, 20);
  EXPECT_THAT(inside_, ElementsAre(1));
  held_bytes_ = 60;
  enter(3, 1);  // behind the second
  leave(1);
  EXPECT_THAT(inside_, ElementsAre(1, 2, 3));
}

TEST_F(ReadGateTest, OneIsAlwaysLetIn) {
  held_bytes_ = 1000;
  enter(1, 5000);
  enter(2, 5000);
  EXPECT_THAT(inside_, ElementsAre(1));
  leave(1);
  EXPECT_THAT(inside_, ElementsAre(1, 2));
}

// No stack is deep enough for a turn within a turn within a turn.
TEST_F(ReadGateTest, ReadsThatAreAnsweredAtOnceAreNotNested) {
  enter(1, 100);
  int answered = 0;
  for (int i = 0; i < 200'000; ++i) {
    gate_->enter(60, Priority::kDemand, [&](const ReadGate::Ticket&) { ++answered; });
  }
  EXPECT_EQ(answered, 0);
  leave(1);
  EXPECT_EQ(answered, 200'000);
}

TEST(ReadGate, KeepsItsBoundForManyThreads) {
  std::atomic<uint64_t> held{0};
  const auto gate = std::make_shared<ReadGate>(1000, [&] { return held.load(); });
  std::atomic<uint64_t> most{0};
  std::atomic<int> answered{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 2000; ++i) {
        const uint64_t bytes = 1 + (i * 37 + thread * 101) % 400;
        gate->enter(bytes, Priority{static_cast<int>(bytes % storage::kPriorities)},
                    [&, bytes](const ReadGate::Ticket&) {
                      const uint64_t now = held += bytes;
                      for (uint64_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                      }
                      held -= bytes;
                      ++answered;
                    });
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(answered, 16'000);
  EXPECT_EQ(gate->waiting(), 0u);
  EXPECT_LE(most, 1000u);
}

}  // namespace
}  // namespace forebay::cache
