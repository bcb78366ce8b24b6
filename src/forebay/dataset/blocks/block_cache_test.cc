#include "forebay/dataset/blocks/block_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <optional>
#include <string>
#include <thread>

namespace forebay::dataset {
namespace {

using ::testing::HasSubstr;

class SizedBlock final : public Block {
 public:
  explicit SizedBlock(uint64_t bytes) : bytes_(bytes) {}
  uint64_t size_bytes() const override { return bytes_; }

 private:
  const uint64_t bytes_;
};

/// Loads that end when the test says so.
struct Loads {
  std::deque<BlockCallback> open;

  LoadBlock load() {
    return [this](BlockCallback done) { open.push_back(std::move(done)); };
  }
  void end(Result<BlockRef> block) {
    BlockCallback done = std::move(open.front());
    open.pop_front();
    done(std::move(block));
  }
  void end(uint64_t bytes) { end(std::make_shared<SizedBlock>(bytes)); }
};

struct Answer {
  std::optional<Result<BlockRef>> block;

  BlockCallback callback() {
    return [this](Result<BlockRef> given) { block = std::move(given); };
  }
  bool is_there() const { return block && block->ok(); }
};

BlockKey key_of(uint64_t offset) {
  return {1, 2, offset};
}

TEST(BlockCache, SamplesThatAskAtOnceShareALoad) {
  BlockCache cache(100);
  Loads loads;
  Answer answers[4];
  for (int i = 0; i < 3; ++i) {
    cache.get(key_of(0), 10, loads.load(), answers[i].callback());
  }
  EXPECT_EQ(loads.open.size(), 1);
  EXPECT_FALSE(answers[2].block);
  loads.end(10);
  cache.get(key_of(0), 10, loads.load(), answers[3].callback());
  EXPECT_TRUE(loads.open.empty());
  for (const Answer& answer : answers) {
    ASSERT_TRUE(answer.is_there());
    EXPECT_EQ(**answer.block, **answers[0].block);
  }
  EXPECT_EQ(cache.statistics().loads, 1);
  EXPECT_EQ(cache.statistics().hits, 3);
  EXPECT_EQ(cache.statistics().kept_bytes, 10);
}

TEST(BlockCache, TheOneNotUsedForLongestGivesWay) {
  BlockCache cache(100);
  Loads loads;
  Answer answers[6];
  const auto get = [&](uint64_t offset, Answer& answer) {
    cache.get(key_of(offset), 40, loads.load(), answer.callback());
    if (!loads.open.empty()) {
      loads.end(40);
    }
    EXPECT_TRUE(answer.is_there());
  };
  get(0, answers[0]);
  get(1, answers[1]);
  get(0, answers[2]);
  get(2, answers[3]);  // in place of 1
  get(0, answers[4]);
  EXPECT_EQ(cache.statistics().loads, 3);
  get(1, answers[5]);
  EXPECT_EQ(cache.statistics().loads, 4);
  EXPECT_LE(cache.statistics().kept_bytes, 100);
}

TEST(BlockCache, LoadsWaitForRoomInTheirOrder) {
  BlockCache cache(100);
  Loads loads;
  Answer answers[4];
  cache.get(key_of(0), 60, loads.load(), answers[0].callback());
  cache.get(key_of(1), 60, loads.load(), answers[1].callback());
  cache.get(key_of(2), 30, loads.load(), answers[2].callback());
  EXPECT_EQ(loads.open.size(), 1);  // the third would fit, but the second came before
  loads.end(60);
  EXPECT_TRUE(answers[0].is_there());
  EXPECT_EQ(loads.open.size(), 2);
  loads.end(60);
  loads.end(30);
  EXPECT_TRUE(answers[1].is_there());
  EXPECT_TRUE(answers[2].is_there());
  EXPECT_EQ(cache.statistics().kept_bytes, 90);
}

TEST(BlockCache, WhatIsLargerThanTheLimitIsRefused) {
  BlockCache cache(100);
  Loads loads;
  Answer answers[2];
  cache.get(key_of(0), 101, loads.load(), answers[0].callback());
  ASSERT_TRUE(answers[0].block);
  EXPECT_EQ(answers[0].block->status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(answers[0].block->status())), HasSubstr("101 bytes"));
  cache.get(key_of(0), 10, loads.load(), answers[1].callback());
  loads.end(1000);  // more than was said: it is handed out, not kept
  EXPECT_TRUE(answers[1].is_there());
  EXPECT_EQ(cache.statistics().kept_bytes, 0);
}

TEST(BlockCache, ErrorsGoToAllAndAreNotKept) {
  BlockCache cache(100);
  Loads loads;
  Answer answers[3];
  cache.get(key_of(0), 10, loads.load(), answers[0].callback());
  cache.get(key_of(0), 10, loads.load(), answers[1].callback());
  loads.end(data_loss("broken"));
  EXPECT_EQ(answers[0].block->status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(answers[1].block->status().code(), StatusCode::kDataLoss);
  cache.get(key_of(0), 10, loads.load(), answers[2].callback());
  loads.end(10);
  EXPECT_TRUE(answers[2].is_there());
}

TEST(BlockCache, WhoJoinedALoadThatWasGivenUpLoadsForHimself) {
  BlockCache cache(100);
  Loads loads;
  Answer answers[3];
  for (Answer& answer : answers) {
    cache.get(key_of(0), 10, loads.load(), answer.callback());
  }
  loads.end(cancelled("no longer wanted"));
  EXPECT_EQ(answers[0].block->status().code(), StatusCode::kCancelled);
  EXPECT_FALSE(answers[1].block);
  ASSERT_EQ(loads.open.size(), 1);
  loads.end(10);
  EXPECT_TRUE(answers[1].is_there());
  EXPECT_TRUE(answers[2].is_there());
}

TEST(BlockCache, LoadsThatEndInlineDoNotNest) {
  BlockCache cache(10);
  Loads loads;
  constexpr int kMany = 20000;
  int answered = 0;
  Answer first;
  cache.get(key_of(0), 10, loads.load(), first.callback());
  for (int i = 1; i <= kMany; ++i) {
    cache.get(
        key_of(static_cast<uint64_t>(i)), 10,
        [](BlockCallback done) { done(std::make_shared<SizedBlock>(10)); },
        [&](const Result<BlockRef>& block) { answered += block.ok() ? 1 : 0; });
  }
  EXPECT_EQ(answered, 0);
  loads.end(10);
  EXPECT_EQ(answered, kMany);
}

TEST(BlockCache, ThreadsGetWhatTheyAskFor) {
  BlockCache cache(50);
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};  // who loads a block answers all who wait for it
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint64_t i = 0; i < 2000; ++i) {
        const uint64_t bytes = 1 + (i * 7 + static_cast<uint64_t>(thread)) % 20;
        cache.get(
            key_of(bytes), bytes, [bytes](BlockCallback done) { done(std::make_shared<SizedBlock>(bytes)); },
            [&wrong, bytes](const Result<BlockRef>& block) {
              wrong += block.ok() && (*block)->size_bytes() == bytes ? 0 : 1;
            });
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(cache.statistics().kept_bytes, 50);
}

}  // namespace
}  // namespace forebay::dataset
