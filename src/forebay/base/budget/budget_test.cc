#include "forebay/base/budget/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace forebay {
namespace {

using ::testing::HasSubstr;

TEST(BudgetTest, GrantsUpToItsLimit) {
  const auto budget = Budget::create(100);
  Reservation first = *budget->try_reserve(60);
  const Status refused = budget->try_reserve(41).status();
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(refused)), HasSubstr("41 bytes needed; 60 of the memory limit of 100"));
  Reservation second = *budget->try_reserve(40);
  EXPECT_EQ(budget->working_bytes(), 100);
  first.release();
  EXPECT_EQ(budget->working_bytes(), 40);
  EXPECT_EQ(budget->peak_working_bytes(), 100);
}

TEST(BudgetTest, SumsDoNotOverflow) {
  const auto budget = Budget::create(100);
  const Reservation some = *budget->try_reserve(50);
  EXPECT_FALSE(budget->try_reserve(~uint64_t{0}).ok());
  EXPECT_FALSE(budget->try_reserve(~uint64_t{0} - 40).ok());
}

TEST(BudgetTest, TheOldestMayPassWhatOthersHoldButNotTheLimitItself) {
  const auto budget = Budget::create(100);
  const Reservation others = *budget->try_reserve(90);
  EXPECT_TRUE(budget->reserve_anyway(100).ok());
  const Status refused = budget->reserve_anyway(101).status();
  EXPECT_THAT(std::string(message(refused)),
              HasSubstr("101 bytes needed, more than the whole memory limit of 100"));
}

TEST(BudgetTest, WhatTheUserHoldsBlocksNothing) {
  const auto budget = Budget::create(100);
  Reservation batch = *budget->try_reserve(100);
  batch.hand_to_user();
  batch.hand_to_user();
  EXPECT_EQ(budget->working_bytes(), 0);
  EXPECT_EQ(budget->held_bytes(), 100);
  const Reservation next = *budget->try_reserve(100);
  batch.release();
  EXPECT_EQ(budget->held_bytes(), 0);
  EXPECT_EQ(budget->working_bytes(), 100);
}

TEST(BudgetTest, ReservationsMove) {
  const auto budget = Budget::create(100);
  Reservation a = *budget->try_reserve(10);
  Reservation b = *budget->try_reserve(20);
  b = std::move(a);
  EXPECT_EQ(budget->working_bytes(), 10);
  EXPECT_EQ(b.bytes(), 10);
  Reservation c(std::move(b));
  c.release();
  c.release();
  EXPECT_EQ(budget->working_bytes(), 0);
}

TEST(BudgetTest, ListenersLearnWhenBytesComeBack) {
  const auto budget = Budget::create(100);
  int calls = 0;
  const int id = budget->add_listener([&] { ++calls; });
  Reservation first = *budget->try_reserve(10);
  EXPECT_EQ(calls, 0);
  first.hand_to_user();
  EXPECT_EQ(calls, 1);
  first.release();
  EXPECT_EQ(calls, 1) << "held bytes block nobody, so their return is no news";
  budget->remove_listener(id);
  budget->try_reserve(10)->release();
  EXPECT_EQ(calls, 1);
}

TEST(BudgetTest, ZeroIsNoLimit) {
  const auto budget = Budget::create(0);
  const Reservation much = *budget->try_reserve(uint64_t{1} << 60);
  EXPECT_EQ(budget->working_bytes(), uint64_t{1} << 60);
}

TEST(BudgetTest, ManyThreadsNeverPassTheLimit) {
  const auto budget = Budget::create(50);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const auto reservation = budget->try_reserve(20);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(budget->working_bytes(), 0);
  EXPECT_LE(budget->peak_working_bytes(), 50);
}

}  // namespace
}  // namespace forebay
