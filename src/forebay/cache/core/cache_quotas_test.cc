// Folders that may have so much of a cache, and no more.
#include <gtest/gtest.h>

#include "forebay/cache/testing/ruled_cache.h"

namespace forebay::cache {
namespace {

constexpr size_t kBytes = kRuledBytes;

AdmissionRule quota_of(uint64_t entries, std::string prefix = "s3://bucket/train") {
  return {.prefix = std::move(prefix), .quota_bytes = entries * kBytes};
}

class CacheQuotasTest : public RuledCache {
 protected:
  void put_in(const std::string& folder, int number, size_t bytes = kBytes) {
    core().insert(object_in(folder, number), {.object_bytes = bytes}, bytes_from(content_of(number, bytes)));
    core().flush();
  }
  void put_some(const std::string& folder, int count) {
    for (int number = 0; number < count; ++number) {
      put_in(folder, number);
    }
  }
  bool has_in(const std::string& folder, int number) {
    return static_cast<bool>(core().find(object_in(folder, number), {0, kBytes}));
  }
  int held_of(const std::string& folder, int count) {
    int held = 0;
    for (int number = 0; number < count; ++number) {
      held += core().holds(object_in(folder, number), {0, kBytes}) ? 1 : 0;
    }
    return held;
  }

  static ObjectVersion object_in(const std::string& folder, int number) {
    return {fmt::format("s3://bucket/{}/{}", folder, number), "v1"};
  }
};

TEST_F(CacheQuotasTest, AFullFolderLetsItsOwnGo) {
  open({quota_of(3)});
  put_some("other", 4);
  put_some("train", 10);
  EXPECT_EQ(held_of("train", 10), 3);
  EXPECT_TRUE(has_in("train", 9));
  EXPECT_EQ(held_of("other", 4), 4);
  EXPECT_EQ(cache_->statistics().evictions, 7u);
  put_some("training", 5);
  EXPECT_EQ(held_of("training", 5), 5);
}

TEST_F(CacheQuotasTest, WhatIsReadOftenStays) {
  open({quota_of(4)});
  for (int number = 0; number < 20; ++number) {
    put_in("train", number);
    EXPECT_TRUE(has_in("train", 0));
    EXPECT_TRUE(has_in("train", 0));
  }
}

TEST_F(CacheQuotasTest, WhatIsLargerNeverComesInAndTakesNothingsPlace) {
  open({quota_of(1)});
  put_in("train", 0);
  put_in("train", 1, kBytes + 1);
  EXPECT_TRUE(has_in("train", 0));
  EXPECT_EQ(cache_->statistics().bypasses, 1u);
}

// A quota sets nothing aside: who needs room takes it from the folder, which may have it back.
TEST_F(CacheQuotasTest, TheWholeCacheTakesFromItToo) {
  open({quota_of(4)});
  put_some("train", 4);
  put_others();
  EXPECT_EQ(held_of("train", 4), 0);
  put_some("train", 6);
  EXPECT_EQ(held_of("train", 6), 4);
}

TEST_F(CacheQuotasTest, AQuotaHoldsForWhatIsHere) {
  open();
  put_some("train", 6);
  put_some("other", 2);
  set_rules({quota_of(2)});
  EXPECT_EQ(held_of("train", 6), 2);
  EXPECT_EQ(held_of("other", 2), 2);
  set_rules({quota_of(5)});
  put_some("train", 6);
  EXPECT_EQ(held_of("train", 6), 5);
  set_rules({quota_of(1), quota_of(1, "s3://bucket/other")});
  EXPECT_EQ(held_of("train", 6), 1);
  EXPECT_EQ(held_of("other", 2), 1);
  set_rules({});
  put_some("train", 6);
  EXPECT_EQ(held_of("train", 6), 6);
}

// Nobody waits for all that is beyond a quota, neither who sets it nor who reads.
TEST_F(CacheQuotasTest, ManyEntriesBeyondAQuota) {
  open();
  constexpr int kEntries = 300;
  for (int number = 0; number < kEntries; ++number) {
    core().insert(object_in("train", number), {.object_bytes = kBytes / 50},
                  bytes_from(content_of(number, kBytes / 50)));
  }
  set_rules({quota_of(1)});
  EXPECT_EQ(cache_->statistics().entries, 50u);
  EXPECT_EQ(cache_->statistics().evictions, static_cast<uint64_t>(kEntries - 50));
}

TEST_F(CacheQuotasTest, OfAnotherQuotaTheOldOneIsRemembered) {
  open({quota_of(4)});
  put_some("train", 4);
  EXPECT_TRUE(has_in("train", 0));
  EXPECT_TRUE(has_in("train", 0));
  core().set_rules(std::make_shared<const RuleTable>(std::vector<AdmissionRule>{quota_of(3)}));
  put_in("train", 4);  // before anything was looked at
  EXPECT_EQ(held_of("train", 5), 3);
  EXPECT_TRUE(has_in("train", 0));
}

TEST_F(CacheQuotasTest, AQuotaOutlastsTheProcess) {
  open({quota_of(4)});
  put_some("train", 4);
  put_some("other", 2);
  open({quota_of(3)});
  set_rules({quota_of(3)});  // as every start does
  EXPECT_EQ(held_of("train", 4), 3);
  put_some("train", 4);
  EXPECT_EQ(held_of("train", 4), 3);
  EXPECT_EQ(held_of("other", 2), 2);
}

TEST_F(CacheQuotasTest, PinsWithinAQuota) {
  AdmissionRule rule = quota_of(2);
  rule.retention.is_pinned = true;
  open({rule});
  put_some("train", 4);
  EXPECT_EQ(cache_->statistics().pinned_bytes, 2 * kBytes);
  EXPECT_EQ(cache_->statistics().bypasses, 2u);
  EXPECT_TRUE(has_in("train", 0));
  EXPECT_TRUE(has_in("train", 1));
  set_rules({quota_of(2)});
  put_in("train", 3);
  EXPECT_TRUE(has_in("train", 3));
  EXPECT_EQ(held_of("train", 4), 2);
}

TEST_F(CacheQuotasTest, WhatHasExpiredGoesFirst) {
  AdmissionRule rule = quota_of(3);
  rule.time_to_live_s = 60;
  open({rule});
  put_in("train", 0);
  now_s_ += 59;
  put_in("train", 1);
  put_in("train", 2);
  EXPECT_TRUE(has_in("train", 0));
  EXPECT_TRUE(has_in("train", 0));  // it would stay
  now_s_ += 1;
  put_in("train", 3);
  EXPECT_TRUE(has_in("train", 1));
  EXPECT_TRUE(has_in("train", 2));
  EXPECT_TRUE(has_in("train", 3));
}

TEST_F(CacheQuotasTest, WhatAnotherRuleIsAboutDoesNotCount) {
  open({quota_of(2), {.prefix = "s3://bucket/train/hot", .retention = {.priority = 1}}});
  put_some("train/hot", 4);
  put_some("train", 4);
  EXPECT_EQ(held_of("train/hot", 4), 4);
  EXPECT_EQ(held_of("train", 4), 2);
}

TEST_F(CacheQuotasTest, ChunksCountByTheirBytes) {
  quota_bytes_ = 16 << 20;
  open({{.prefix = "s3://bucket/7", .quota_bytes = 3 << 20}});
  put_chunks(core(), 7, 6 << 20);
  EXPECT_EQ(cache_->statistics().entries, 3u);
  EXPECT_EQ(get_range(core(), 7, {5 << 20, 1 << 20}), content_of(7, 6 << 20).substr(5 << 20));
  EXPECT_TRUE(cache_->walk_all(WalkKind::kFree, "s3://bucket/7").ok());
  put_chunks(core(), 7, 3 << 20);
  EXPECT_EQ(cache_->statistics().entries, 3u);
}

}  // namespace
}  // namespace forebay::cache
