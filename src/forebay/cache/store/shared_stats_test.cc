// Questions about one object at one time are one question upstream.
#include "forebay/cache/store/shared_stats.h"
#include "forebay/cache/store/cache_store.h"

#include <gtest/gtest.h>

#include <vector>

#include "forebay/cache/cache.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::CallContext;
using storage::ObjectStat;
using storage::Priority;

/// Answers stats when a test says so.
class SlowStats final : public storage::ForwardingStore {
 public:
  explicit SlowStats(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  void stat(std::string key, const CallContext& context, storage::StatCallback done) override {
    asked.push_back({std::move(key), context, std::move(done)});
  }
  /// Answers what was asked as `number`, as things are now.
  void answer(size_t number) { ForwardingStore::stat(asked[number].key, {}, std::move(asked[number].done)); }

  struct Asked {
    std::string key;
    CallContext context;
    storage::StatCallback done;
  };
  std::vector<Asked> asked;
};

class SharedStatsTest : public ::testing::Test {
 protected:
  ~SharedStatsTest() override { upstream_->asked.clear(); }  // what is never answered holds the stores

  void put(const std::string& content) { ASSERT_TRUE(write_now(*bucket_, "k", as_bytes(content)).ok()); }
  void ask(const CallContext& context = {}) {
    store_->stat("k", context, [this](const Result<ObjectStat>& stat) {
      answers_.push_back(stat.ok() ? std::to_string(stat->size_bytes)
                                   : std::string(absl::StatusCodeToString(stat.status().code())));
    });
  }
  std::shared_ptr<storage::ObjectStore> over(int64_t trusted_ns) {
    return store_over(cache_, upstream_, {.trusted_ns = trusted_ns, .clock = &clock_});
  }

  SteppedClock clock_;
  std::shared_ptr<storage::MemoryStore> bucket_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<SlowStats> upstream_ = std::make_shared<SlowStats>(bucket_);
  std::shared_ptr<Cache> cache_ = *Cache::open({.memory_bytes = 1 << 20});
  std::shared_ptr<storage::ObjectStore> store_ = over(1'000'000'000);
  std::vector<std::string> answers_;
};

TEST_F(SharedStatsTest, EightWhoAskAreOneQuestion) {
  put("abc");
  std::string read;
  for (int i = 0; i < 8; ++i) {
    ask();
  }
  store_->read({.key = "k"}, {}, [&](Result<storage::ReadBytes> bytes) { read = text_of(*bytes); });
  ASSERT_EQ(upstream_->asked.size(), 1u);
  upstream_->answer(0);
  EXPECT_EQ(answers_, std::vector<std::string>(8, "3"));
  EXPECT_EQ(read, "abc");
}

TEST_F(SharedStatsTest, ErrorsGoToAllAndAreNotKept) {
  ask();
  ask();
  upstream_->asked[0].done(unavailable("mem://k: try later"));
  EXPECT_EQ(answers_, std::vector<std::string>(2, "UNAVAILABLE"));
  ask();
  EXPECT_EQ(upstream_->asked.size(), 2u);
}

// A read waits for an outage to end, a question of somebody at a terminal does not.
TEST_F(SharedStatsTest, WhatIsForAReadAsksAgainWhereAnotherQuestionWasGivenUp) {
  put("abc");
  std::string read;
  ask();
  store_->read({.key = "k"}, {}, [&](Result<storage::ReadBytes> bytes) { read = text_of(*bytes); });
  ASSERT_EQ(upstream_->asked.size(), 1u);
  EXPECT_FALSE(upstream_->asked[0].context.is_for_read);
  upstream_->asked[0].done(unavailable("mem://k: try later"));
  EXPECT_EQ(answers_, std::vector<std::string>({"UNAVAILABLE"}));
  ASSERT_EQ(upstream_->asked.size(), 2u);
  EXPECT_TRUE(upstream_->asked[1].context.is_for_read);
  ask();  // does not wait for what is asked for long
  ASSERT_EQ(upstream_->asked.size(), 3u);
  upstream_->answer(1);
  EXPECT_EQ(read, "abc");
  upstream_->answer(2);
  EXPECT_EQ(answers_, std::vector<std::string>({"UNAVAILABLE", "3"}));
}

TEST_F(SharedStatsTest, OneWhoGoesLeavesTheQuestionToTheOthers) {
  put("abc");
  std::stop_source first;
  std::stop_source second;
  ask({.cancellation = first.get_token()});
  ask({.cancellation = second.get_token()});
  first.request_stop();
  EXPECT_EQ(answers_, std::vector<std::string>({"CANCELLED"}));
  EXPECT_FALSE(upstream_->asked[0].context.cancellation.stop_requested());
  second.request_stop();
  EXPECT_TRUE(upstream_->asked[0].context.cancellation.stop_requested());
  ask();  // is not put on the question that was given up
  ASSERT_EQ(upstream_->asked.size(), 2u);
  upstream_->answer(0);
  upstream_->answer(1);
  EXPECT_EQ(answers_, std::vector<std::string>({"CANCELLED", "CANCELLED", "3"}));
}

TEST_F(SharedStatsTest, AQuestionFromBeforeAWriteIsNotJoined) {
  put("abc");
  ask();
  const std::string content = "written";
  ASSERT_TRUE(write_now(*store_, "k", as_bytes(content)).ok());
  ASSERT_TRUE(remove_now(*store_, "k").ok());
  ask();
  ASSERT_EQ(upstream_->asked.size(), 2u);
  upstream_->answer(1);
  upstream_->answer(0);
  EXPECT_EQ(answers_, std::vector<std::string>(2, "NOT_FOUND"));
}

TEST_F(SharedStatsTest, AQuestionThatIsTooOldIsNotJoined) {
  ask();
  clock_.advance_ns(1'000'000'000);
  ask();
  EXPECT_EQ(upstream_->asked.size(), 2u);
  store_ = over(0);
  ask();
  ask();
  EXPECT_EQ(upstream_->asked.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    upstream_->answer(i);
  }
}

TEST_F(SharedStatsTest, WhoeverIsMoreUrgentOrHasMoreTimeAsksAnew) {
  const int64_t far_ns = steady_clock().now_ns() + int64_t{3'600'000'000'000};
  ask({.priority = Priority::kPrefetch, .deadline_ns = far_ns});
  ask({.priority = Priority::kPrefetch, .deadline_ns = far_ns});
  EXPECT_EQ(upstream_->asked.size(), 1u);
  ask({.deadline_ns = far_ns});
  EXPECT_EQ(upstream_->asked.size(), 2u);
  ask();
  EXPECT_EQ(upstream_->asked.size(), 3u);
  ask({.priority = Priority::kPrefetch});
  EXPECT_EQ(upstream_->asked.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    upstream_->answer(i);
  }
  EXPECT_EQ(answers_, std::vector<std::string>(5, "NOT_FOUND"));
}

}  // namespace
}  // namespace forebay::cache
