// Rules that change while a cache is used, and what earlier runs left: pins, priorities, times.
#include <gtest/gtest.h>

#include <cerrno>
#include <future>

#include "forebay/cache/core/entry_walk.h"
#include "forebay/cache/testing/ruled_cache.h"

namespace forebay::cache {
namespace {

constexpr size_t kBytes = kRuledBytes;

AdmissionRule pin_of_number(int number) {
  return {.prefix = fmt::format("s3://bucket/{}", number), .retention = {.is_pinned = true}};
}

class CacheRulesTest : public RuledCache {};

TEST_F(CacheRulesTest, PinsHoldForWhatIsHereAndForWhatComes) {
  open();
  put(1);
  set_rules({pin_of_number(1), pin_of_number(2)});
  EXPECT_EQ(cache_->statistics().pinned_bytes, kBytes);
  put(2);
  EXPECT_EQ(cache_->statistics().pinned_bytes, 2 * kBytes);
  put_others();
  EXPECT_TRUE(has(1));
  EXPECT_TRUE(has(2));
  set_rules({pin_of_number(2)});
  EXPECT_EQ(cache_->statistics().pinned_bytes, kBytes);
  put_others();
  EXPECT_FALSE(has(1));
  EXPECT_TRUE(has(2));
}

TEST_F(CacheRulesTest, ChunksThatComeLaterArePinnedToo) {
  quota_bytes_ = 16 << 20;
  open({pin_of_number(7)});
  constexpr size_t kLarge = (2 << 20) + 100;
  put_chunks(core(), 7, kLarge);
  EXPECT_EQ(cache_->statistics().pinned_bytes, kLarge);
  for (int i = 100; i < 160; ++i) {
    put(i);
  }
  EXPECT_TRUE(has(7, kLarge));
}

TEST_F(CacheRulesTest, PinsOutlastTheProcess) {
  open({pin_of_number(1), pin_of_number(2)});
  put(1);
  put(2);
  put(3);
  for (int restart = 0; restart < 2; ++restart) {
    open({pin_of_number(1), pin_of_number(2)});
    put_others();  // before, while and after the names are looked at
    cache_->flush();
    put_others();
    EXPECT_TRUE(has(1));
    EXPECT_TRUE(has(2));
    EXPECT_FALSE(has(3));
    EXPECT_EQ(cache_->statistics().pinned_bytes, 2 * kBytes);
  }
}

// Names are in files. Until they are read, everything may be pinned; if they cannot be, nothing is.
TEST_F(CacheRulesTest, NothingOfAnEarlierRunGoesBeforeItsNameIsKnown) {
  open();
  put_others();
  close();
  const std::shared_ptr<CacheCore> core = *CacheCore::open(options({pin_of_number(1)}));
  put_whole(*core, 200, kBytes);
  EXPECT_EQ(core->statistics().bypasses, 1u);
  core->flush();
  files_->fail_reads(errno_status(EMFILE, "open"));
  EXPECT_GT(EntryWalk(core.get(), {.kind = WalkKind::kApplyRules}).run().unreadable, 10u);
  files_->fail_reads(ok_status());
  core->finish_rules();
  put_whole(*core, 201, kBytes);
  EXPECT_TRUE(get_range(*core, 201, {0, kBytes}));
  core->close();
}

TEST_F(CacheRulesTest, PinsHaveALimit) {
  most_pinned_bytes_ = 3 * kBytes;
  open();
  for (int i = 0; i < 5; ++i) {
    put(i);
  }
  set_rules({pin_of_number(0), pin_of_number(1), pin_of_number(2), pin_of_number(3), pin_of_number(4),
             pin_of_number(5)});
  EXPECT_EQ(cache_->statistics().pinned_bytes, 3 * kBytes);
  EXPECT_EQ(cache_->statistics().pins_refused, 2u);
  put(5);
  EXPECT_EQ(cache_->statistics().pins_refused, 3u);
  put_others();
  int held = 0;
  for (int i = 0; i < 6; ++i) {
    held += has(i) ? 1 : 0;
  }
  EXPECT_EQ(held, 3);
  EXPECT_LE(cache_->statistics().disk_bytes, quota_bytes_);
  EXPECT_TRUE(cache_->walk_all(WalkKind::kFree, "s3://bucket/0").ok());
  EXPECT_EQ(cache_->statistics().pinned_bytes, 3 * kBytes);
}

TEST_F(CacheRulesTest, ByDefaultHalfTheQuotaMayBePinned) {
  open({{.prefix = "s3://bucket", .retention = {.is_pinned = true}}});
  EXPECT_EQ(cache_->statistics().most_pinned_bytes, quota_bytes_ / 2);
  put_others();
  EXPECT_LE(cache_->statistics().pinned_bytes, quota_bytes_ / 2);
  EXPECT_GT(cache_->statistics().pinned_bytes, quota_bytes_ / 2 - kBytes);
  EXPECT_TRUE(has(129));
}

TEST_F(CacheRulesTest, ASmallerQuotaKeepsWhatIsPinned) {
  open({pin_of_number(1)});
  put(1);
  put_others();
  quota_bytes_ = 2 << 20;
  open({pin_of_number(1)});
  set_rules({pin_of_number(1)});  // once all names are known
  EXPECT_LE(cache_->statistics().disk_bytes, quota_bytes_);
  EXPECT_TRUE(has(1));
}

TEST_F(CacheRulesTest, WhatHasLessPriorityGoesFirst) {
  open();
  put(1);
  put(2);
  set_rules({{.prefix = "s3://bucket/1", .retention = {.priority = 5}}});
  put_others();
  EXPECT_TRUE(has(1));
  EXPECT_FALSE(has(2));
  open();
  set_rules({{.prefix = "s3://bucket/1", .retention = {.priority = 5}}});  // once all names are known
  put_others();
  EXPECT_TRUE(has(1));
}

TEST_F(CacheRulesTest, TimesHoldForWhatIsHere) {
  open();
  put(1);
  put(2);
  set_rules({{.prefix = "s3://bucket/1", .time_to_live_s = 60}});
  now_s_ += 59;
  EXPECT_TRUE(has(1));
  now_s_ += 1;
  EXPECT_FALSE(has(1));
  EXPECT_TRUE(has(2));
}

// Each start applies the rules to what earlier runs left.
TEST_F(CacheRulesTest, ATimeCountsFromWhenItWasGivenHoweverOftenTheCacheIsStarted) {
  now_s_ = 1'000'000;
  open();
  put(1);
  const std::vector<AdmissionRule> rules = {
      {.prefix = "s3://bucket/", .time_to_live_s = 60, .ttl_since_s = now_s_}};
  set_rules(rules);
  now_s_ += 40;
  open(rules);
  put(2);
  set_rules(rules);
  now_s_ += 19;
  EXPECT_TRUE(has(1));
  now_s_ += 1;
  EXPECT_FALSE(has(1));
  now_s_ += 39;
  open(rules);
  set_rules(rules);
  EXPECT_TRUE(has(2)) << "it came under the rule, and has a time of its own";
  now_s_ += 1;
  EXPECT_FALSE(has(2));
}

TEST_F(CacheRulesTest, WhatIsNotAdmittedAnyMoreGoes) {
  open();
  put(1);
  put(2);
  set_rules({{.prefix = "s3://bucket/1", .is_cached = false}});
  EXPECT_EQ(cache_->statistics().entries, 1u);
  put(1);
  EXPECT_FALSE(has(1));
  set_rules({});
  put(1);
  EXPECT_TRUE(has(1));
}

TEST_F(CacheRulesTest, FreeKnowsPinsOfAnEarlierRun) {
  open({pin_of_number(1)});
  put(1);
  put(2);
  open({pin_of_number(1)});
  const CacheWalked freed = *cache_->walk_all(WalkKind::kFree, "s3://bucket");
  EXPECT_EQ(freed.pinned, 1u);
  EXPECT_EQ(freed.dropped, 1u);
  EXPECT_TRUE(has(1));
}

// The last rules hold, whoever asked when.
TEST_F(CacheRulesTest, RulesThatChangeWhileTheyAreApplied) {
  open();
  for (int i = 0; i < 8; ++i) {
    put(i);
  }
  std::vector<std::future<void>> done;
  for (int i = 0; i < 20; ++i) {
    auto promise = std::make_shared<std::promise<void>>();
    done.push_back(promise->get_future());
    cache_->set_rules({pin_of_number(i % 8)}, [promise] { promise->set_value(); });
  }
  for (std::future<void>& each : done) {
    each.get();
  }
  EXPECT_EQ(cache_->statistics().pinned_bytes, kBytes);
  put_others();
  EXPECT_TRUE(has(19 % 8));
  cache_->close();
  std::promise<void> closed;
  cache_->set_rules({}, [&] { closed.set_value(); });
  closed.get_future().get();
}

// Times count by the wall clock, since they outlast the process. Whatever that does, no byte is wrong and
// nothing stays for ever.
TEST_F(CacheRulesTest, TheClockMayJump) {
  constexpr uint32_t kDay = 24 * 3600;
  const std::vector<AdmissionRule> for_an_hour = {{.prefix = "s3://bucket/1", .time_to_live_s = 3600}};
  now_s_ = 1000 * kDay;
  open(for_an_hour);
  put(1);
  put(2);
  now_s_ = 1003 * kDay;  // ahead: its time is over
  EXPECT_FALSE(has(1));
  EXPECT_TRUE(has(2));
  put(1);
  now_s_ = 1000 * kDay;  // back: it came from the future
  EXPECT_TRUE(has(1));
  open();
  set_rules(for_an_hour);  // as every start does
  EXPECT_TRUE(has(1));
  EXPECT_TRUE(has(2));
  now_s_ = 1000 * kDay + 3601;
  EXPECT_FALSE(has(1));
  now_s_ = 0;
  put(1);
  EXPECT_TRUE(has(1));
  put_others();
  EXPECT_TRUE(cache_->statistics().disk_bytes <= quota_bytes_);
}

}  // namespace
}  // namespace forebay::cache
