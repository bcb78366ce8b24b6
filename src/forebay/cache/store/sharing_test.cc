// Many readers of one upstream: what is read once, what is not kept, and what is not believed.
#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/cache/testing/patterned.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/threads_store.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::CallContext;
using storage::FaultInjectingStore;
using storage::MemoryStore;
using storage::ObjectStat;
using storage::ObjectStore;
using storage::read_now;
using storage::ReadBytes;
using storage::stat_now;
using storage::text_of;

class CacheSharingTest : public ::testing::Test {
 protected:
  CacheSharingTest() { open({}); }

  void open(FreshnessOptions options) {
    store_.reset();
    cache_.reset();
    CacheOptions cache_options;
    cache_options.directories = {
        {.path = directory_ / "cache", .quota_bytes = 64 << 20, .least_free_bytes = 0}};
    cache_ = *Cache::open(cache_options);
    options.clock = &clock_;
    store_ = store_over(cache_, upstream_, options);
  }

  ObjectStat put(const std::string& key, const std::string& content) {
    return *write_now(*bucket_, key, as_bytes(content));
  }
  Result<std::string> get(storage::ReadRequest request, const CallContext& context = {}) {
    FOREBAY_ASSIGN_OR_RETURN(const ReadBytes read, read_now(*store_, std::move(request), context));
    return text_of(read);
  }
  void pass_a_second() { clock_.advance_ns(1'000'000'000); }

  TemporaryDirectory directory_;
  SteppedClock clock_;
  std::shared_ptr<MemoryStore> bucket_ = std::make_shared<MemoryStore>();
  std::shared_ptr<FaultInjectingStore> upstream_ = std::make_shared<FaultInjectingStore>(bucket_);
  std::shared_ptr<Cache> cache_;
  std::shared_ptr<ObjectStore> store_;
};

TEST_F(CacheSharingTest, EightReadersAreOneReadUpstream) {
  const ObjectStat stat = put("k", testing::patterned(100'000));
  upstream_->hold_reads();
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    store_->read(
        {.key = "k", .length_bytes = 100'000, .if_version = stat.version}, {},
        [&](Result<ReadBytes> read) { right += read.ok() && text_of(*read) == testing::patterned(100'000); });
  }
  EXPECT_EQ(upstream_->held_reads(), 1u);
  upstream_->release_reads();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(get({.key = "k", .length_bytes = 100'000, .if_version = stat.version}).value(),
            testing::patterned(100'000));
  EXPECT_EQ(upstream_->read_count(), 1u);
}

TEST_F(CacheSharingTest, EightThreadsReadAnUpstreamOfThreadsOnce) {
  const std::string content = testing::patterned(300'000);
  const ObjectStat stat = put("k", content);
  const auto store = store_over(cache_, std::make_shared<storage::ThreadsStore>(upstream_), {});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (uint64_t offset = 0; offset < content.size(); offset += 1000) {
        const Result<ReadBytes> read = read_now(
            *store, {.key = "k", .offset_bytes = offset, .length_bytes = 1000, .if_version = stat.version});
        wrong += !read.ok() || text_of(*read) != content.substr(offset, 1000);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(upstream_->read_count(), 300u);
  EXPECT_EQ(cache_->statistics().upstream_bytes, 300'000u);
}

TEST_F(CacheSharingTest, ACancelledReaderLeavesTheReadToTheOthers) {
  const ObjectStat stat = put("k", testing::patterned(1000));
  upstream_->hold_reads();
  std::stop_source stop;
  StatusCode first = StatusCode::kOk;
  std::string second;
  const storage::ReadRequest request = {.key = "k", .length_bytes = 1000, .if_version = stat.version};
  store_->read(request, {.cancellation = stop.get_token()},
               [&](Result<ReadBytes> read) { first = read.status().code(); });
  store_->read(request, {}, [&](Result<ReadBytes> read) { second = text_of(*read); });
  stop.request_stop();
  EXPECT_EQ(first, StatusCode::kCancelled);
  upstream_->release_reads();
  EXPECT_EQ(second, testing::patterned(1000));
  EXPECT_EQ(upstream_->read_count(), 1u);
}

TEST_F(CacheSharingTest, TheLastReaderThatGoesEndsTheRead) {
  const ObjectStat stat = put("k", testing::patterned(1000));
  upstream_->hold_reads();
  std::stop_source stop;
  int answers = 0;
  const storage::ReadRequest request = {.key = "k", .length_bytes = 1000, .if_version = stat.version};
  store_->read(request, {.cancellation = stop.get_token()}, [&](Result<ReadBytes>) { ++answers; });
  stop.request_stop();
  EXPECT_EQ(answers, 1);
  EXPECT_TRUE(upstream_->reads().at(0).context.cancellation.stop_requested());
  // Whoever comes now is not put on the read that was given up.
  store_->read(request, {}, [&](Result<ReadBytes> read) { answers += read.ok() ? 10 : 100; });
  upstream_->release_reads();
  EXPECT_EQ(answers, 11);
}

TEST_F(CacheSharingTest, ErrorsGoToAllWhoWaitAndAreNotKept) {
  const ObjectStat stat = put("k", testing::patterned(1000));
  const storage::ReadRequest request = {.key = "k", .length_bytes = 1000, .if_version = stat.version};
  upstream_->fail_reads("k", unavailable("mem://k: try later"), 1);
  upstream_->hold_reads();
  int failed = 0;
  for (int i = 0; i < 3; ++i) {
    store_->read(request, {},
                 [&](Result<ReadBytes> read) { failed += read.status().code() == StatusCode::kUnavailable; });
  }
  upstream_->release_reads();
  EXPECT_EQ(failed, 3);
  EXPECT_EQ(get(request).value(), testing::patterned(1000));
}

TEST_F(CacheSharingTest, ChunksAreReadOnceHoweverTheyAreAskedFor) {
  const std::string content = testing::patterned((3 << 20) + 100);
  put("k", content);
  upstream_->hold_reads();
  int right = 0;
  const auto ask = [&](uint64_t offset, uint64_t length) {
    store_->read({.key = "k", .offset_bytes = offset, .length_bytes = length}, {},
                 [&right, expected = content.substr(offset, length)](Result<ReadBytes> read) {
                   right += read.ok() && text_of(*read) == expected;
                 });
  };
  ask(2'000'000, 1'000'000);  // chunks 1 and 2
  ask(100, 3 << 20);          // all: 0 and 3 are read
  ask(3 << 20, 100);          // on its way
  EXPECT_EQ(upstream_->held_reads(), 3u);
  upstream_->release_reads();
  EXPECT_EQ(right, 3);
  EXPECT_EQ(cache_->statistics().upstream_bytes, content.size());
  cache_->flush();
  EXPECT_EQ(get({.key = "k"}).value(), content);
  EXPECT_EQ(upstream_->read_count(), 3u);
}

TEST_F(CacheSharingTest, AReadToTheEndServesWhoKnowsTheSizeByNow) {
  const ObjectStat stat = put("k", testing::patterned(1000));
  const storage::ReadRequest request = {.key = "k", .if_version = stat.version};
  upstream_->hold_reads();
  int right = 0;
  const auto count = [&](Result<ReadBytes> read) {
    right += read.ok() && text_of(*read) == testing::patterned(1000);
  };
  store_->read(request, {}, count);
  ASSERT_TRUE(stat_now(*store_, "k").ok());
  store_->read(request, {}, count);
  EXPECT_EQ(upstream_->held_reads(), 1u);
  upstream_->release_reads();
  EXPECT_EQ(right, 2);
  EXPECT_EQ(upstream_->read_count(), 1u);
}

TEST_F(CacheSharingTest, AReadToTheEndThatComesShortIsNotBelievedByWhoKnowsTheSize) {
  const ObjectStat stat = put("k", testing::patterned(1000));
  const storage::ReadRequest request = {.key = "k", .if_version = stat.version};
  upstream_->truncate("k", 500);
  upstream_->hold_reads();
  store_->read(request, {}, [](const Result<ReadBytes>&) {});
  upstream_->truncate("k", 1000);  // what is asked from now on
  ASSERT_TRUE(stat_now(*store_, "k").ok());
  StatusCode code = StatusCode::kOk;
  store_->read(request, {}, [&](const Result<ReadBytes>& read) { code = read.status().code(); });
  upstream_->release_reads();
  EXPECT_EQ(code, StatusCode::kUnavailable);
}

TEST_F(CacheSharingTest, NamedVersionsAreNeverAskedAboutAgain) {
  const ObjectStat stat = put("k", testing::patterned(1000));
  EXPECT_EQ(get({.key = "k", .length_bytes = 1000, .if_version = stat.version}).value(),
            testing::patterned(1000));
  upstream_->fail_reads("k", unavailable("mem://k: gone"));
  pass_a_second();
  EXPECT_EQ(get({.key = "k", .length_bytes = 1000, .if_version = stat.version}).value(),
            testing::patterned(1000));
}

TEST_F(CacheSharingTest, OthersAreTrustedForASecond) {
  put("k", "old");
  EXPECT_EQ(get({.key = "k"}).value(), "old");
  put("k", "new!");
  EXPECT_EQ(get({.key = "k"}).value(), "old");
  EXPECT_EQ(stat_now(*store_, "k")->size_bytes, 3u);
  pass_a_second();
  EXPECT_EQ(stat_now(*store_, "k")->size_bytes, 4u);
  EXPECT_EQ(get({.key = "k"}).value(), "new!");
  EXPECT_EQ(get({.key = "none"}).status().code(), StatusCode::kNotFound);
  put("none", "there");
  EXPECT_EQ(get({.key = "none"}).status().code(), StatusCode::kNotFound);
  pass_a_second();
  EXPECT_EQ(get({.key = "none"}).value(), "there");
}

TEST_F(CacheSharingTest, ListingsAreTrustedForASecondAndRefreshWhatIsKnown) {
  const auto names = [&](const std::shared_ptr<ObjectStore>& store) {
    return list_all_now(*store, {})->objects.size();
  };
  put("a", "1");
  EXPECT_EQ(names(store_), 1u);
  put("b", "22");
  EXPECT_EQ(names(store_), 1u);
  pass_a_second();
  EXPECT_EQ(names(store_), 2u);
  put("b", "333");
  EXPECT_EQ(stat_now(*store_, "b")->size_bytes, 2u);  // as it was listed
  const std::string content = "c";
  ASSERT_TRUE(write_now(*store_, "c", as_bytes(content)).ok());
  EXPECT_EQ(names(store_), 3u);
}

TEST_F(CacheSharingTest, ImmutableObjectsAreTrustedForEver) {
  open({.is_immutable = true});
  put("k", "old");
  EXPECT_EQ(get({.key = "k"}).value(), "old");
  put("k", "new!");
  clock_.advance_ns(int64_t{3'600'000'000'000});
  EXPECT_EQ(get({.key = "k"}).value(), "old");
}

TEST_F(CacheSharingTest, WhatIsWrittenThroughIsSeenAtOnce) {
  put("k", "old");
  EXPECT_EQ(get({.key = "k"}).value(), "old");
  const std::string content = testing::patterned(2'500'000);
  ASSERT_TRUE(write_now(*store_, "k", as_bytes(content)).ok());
  EXPECT_EQ(get({.key = "k"}).value(), content);
  EXPECT_EQ(upstream_->read_count(), 1u);  // of the old one
  ASSERT_TRUE(remove_now(*store_, "k").ok());
  EXPECT_EQ(get({.key = "k"}).status().code(), StatusCode::kNotFound);
}

TEST_F(CacheSharingTest, AnAnswerFromBeforeAWriteDoesNotCount) {
  put("k", "old");
  upstream_->hold_reads();
  int answered = 0;
  store_->read({.key = "k"}, {}, [&](Result<ReadBytes>) { ++answered; });
  const std::string content = "written";
  ASSERT_TRUE(write_now(*store_, "k", as_bytes(content)).ok());
  upstream_->release_reads();
  EXPECT_EQ(answered, 1);
  EXPECT_EQ(get({.key = "k"}).value(), "written");
}

TEST_F(CacheSharingTest, AnObjectThatChangesMeanwhileIsReadAgain) {
  put("k", testing::patterned(1000));
  ASSERT_TRUE(stat_now(*store_, "k").ok());
  put("k", "another");
  EXPECT_EQ(get({.key = "k"}).value(), "another");
}

TEST_F(CacheSharingTest, AnUpstreamThatLiesAboutLengthsIsNotBelieved) {
  const ObjectStat stat = put("k", testing::patterned(1000));
  ASSERT_TRUE(stat_now(*store_, "k").ok());
  upstream_->truncate("k", 500);
  EXPECT_FALSE(get({.key = "k", .if_version = stat.version}).ok());
  EXPECT_EQ(cache_->statistics().insertions, 0u);
}

TEST_F(CacheSharingTest, AHitIsNotCopied) {
  const ObjectStat stat = put("k", testing::patterned(100'000));
  const storage::ReadRequest request = {.key = "k", .if_version = stat.version, .padding_bytes = 64};
  ASSERT_TRUE(read_now(*store_, request).ok());
  cache_->flush();
  const uint64_t before = memory::bytes_copied();
  const Result<ReadBytes> first = read_now(*store_, request);
  const Result<ReadBytes> second = read_now(*store_, request);
  EXPECT_EQ(first->bytes.data(), second->bytes.data());
  EXPECT_EQ(memory::bytes_copied(), before);
  EXPECT_EQ(first->readable_behind, 64u);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(first->bytes.data()[first->bytes.size() + i], std::byte{0});
  }
}

TEST_F(CacheSharingTest, PlansGoToTheFollower) {
  struct Follower final : PlanFollower {
    void follow(const std::shared_ptr<ObjectStore>& store, std::shared_ptr<storage::ReadPlan> plan) override {
      stores.push_back(store);
      plans.push_back(std::move(plan));
    }
    std::vector<std::weak_ptr<ObjectStore>> stores;
    std::vector<std::shared_ptr<storage::ReadPlan>> plans;
  };
  const auto follower = std::make_shared<Follower>();
  CacheOptions options = {.memory_bytes = 1000};
  options.plan_follower = follower;
  const auto store = store_over(*Cache::open(options), upstream_);
  const auto plan = std::make_shared<storage::ReadPlan>(0, 1, [](uint64_t, auto*) {});
  store->advise(plan);
  ASSERT_EQ(follower->plans.size(), 1u);
  EXPECT_EQ(follower->plans[0], plan);
  EXPECT_EQ(follower->stores[0].lock(), store);
  EXPECT_EQ(upstream_->plans().size(), 1u);
}

}  // namespace
}  // namespace forebay::cache
