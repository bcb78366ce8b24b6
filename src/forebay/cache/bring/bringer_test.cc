// Objects that are brought in before somebody reads them.
#include "forebay/cache/bring/bringer.h"
#include "forebay/cache/store/cache_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/units.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/testing/patterned.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::BringOutcome;
using storage::BringRequest;
using storage::CallContext;
using storage::FaultInjectingStore;
using storage::MemoryStore;
using storage::ObjectStat;
using storage::ObjectStore;
using storage::Priority;
using storage::ReadBytes;
using storage::text_of;

/// In the content of a file's first entry.
void flip_a_bit_of_each(const std::string& folder) {
  constexpr std::streamoff kPlace = 10'000;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(kPlace);
    const int byte = file.get();
    file.seekp(kPlace);
    file.put(static_cast<char>(byte ^ 1));
  }
}

using Outcomes = std::vector<Result<BringOutcome>>;

class BringerTest : public ::testing::Test {
 protected:
  BringerTest() { open({}); }
  ~BringerTest() override { cache_->close(); }  // a thread may just have told the last outcome

  void open(CacheOptions options) {
    if (cache_) {
      cache_->close();
    }
    options.directories = {{.path = directory_ / "cache", .quota_bytes = 64 * kMiB, .least_free_bytes = 0}};
    cache_ = *Cache::open(options);
    store_ = store_over(cache_, upstream_);
  }

  BringRequest put(const std::string& key, const std::string& content) {
    const ObjectStat stat = *write_now(*bucket_, key, as_bytes(content));
    return {.key = key, .version = stat.version, .object_bytes = stat.size_bytes};
  }

  /// What is under way, and its answers once all have come.
  struct Under {
    std::promise<void> done;
    Outcomes outcomes;
    size_t left = 0;

    Outcomes wait() {
      done.get_future().wait();
      return outcomes;
    }
  };
  std::shared_ptr<Under> begin(std::vector<BringRequest> requests,
                               const CallContext& context = {.priority = Priority::kBulk}) {
    auto under = std::make_shared<Under>();
    under->left = requests.size();
    under->outcomes.assign(requests.size(), unavailable("not answered"));
    store_->bring_many(std::move(requests), context, [under](size_t i, Result<BringOutcome> outcome) {
      under->outcomes[i] = std::move(outcome);
      if (--under->left == 0) {
        under->done.set_value();
      }
    });
    return under;
  }
  Outcomes bring(std::vector<BringRequest> requests) { return begin(std::move(requests))->wait(); }

  Result<std::string> get(const BringRequest& object, const CallContext& context = {}) {
    FOREBAY_ASSIGN_OR_RETURN(const ReadBytes read,
                             read_now(*store_, {.key = object.key, .if_version = object.version}, context));
    return text_of(read);
  }
  void wait_for_held_reads(size_t count) {
    while (upstream_->held_reads() < count) {
      std::this_thread::yield();
    }
  }

  TemporaryDirectory directory_;
  std::shared_ptr<MemoryStore> bucket_ = std::make_shared<MemoryStore>();
  std::shared_ptr<FaultInjectingStore> upstream_ = std::make_shared<FaultInjectingStore>(bucket_);
  std::shared_ptr<Cache> cache_;
  std::shared_ptr<ObjectStore> store_;
};

TEST_F(BringerTest, WhatWasBroughtIsReadFromTheCache) {
  const std::string large = testing::patterned(5 * kMiB + 17);
  const std::vector<BringRequest> objects = {put("small", "text"), put("large", large), put("empty", "")};
  const Outcomes first = bring(objects);
  ASSERT_TRUE(first[0].ok() && first[1].ok() && first[2].ok()) << first[0].status() << first[1].status();
  EXPECT_EQ(*first[0], BringOutcome::kCame);
  EXPECT_EQ(*first[1], BringOutcome::kCame);
  EXPECT_EQ(*first[2], BringOutcome::kWasThere);
  EXPECT_EQ(cache_->statistics().upstream_bytes, 4 + large.size());
  upstream_->forget_reads();
  EXPECT_EQ(*get(objects[0]), "text");
  EXPECT_EQ(*get(objects[1]), large);
  EXPECT_EQ(upstream_->read_count(), 0U);
  for (const Result<BringOutcome>& again : bring(objects)) {
    EXPECT_EQ(*again, BringOutcome::kWasThere);
  }
  EXPECT_EQ(upstream_->read_count(), 0U);
}

TEST_F(BringerTest, OfALargeObjectTheChunksAroundARangeCome) {
  BringRequest object = put("a", testing::patterned(6 * kMiB));
  object.offset_bytes = 2 * kMiB + 5;
  object.length_bytes = kMiB;
  EXPECT_EQ(*bring({object})[0], BringOutcome::kCame);
  EXPECT_EQ(cache_->statistics().upstream_bytes, 2 * kMiB);
}

TEST_F(BringerTest, WhatIsUnderWayIsReadOnce) {
  upstream_->hold_reads();
  const BringRequest object = put("a", testing::patterned(kMiB));
  const std::shared_ptr<Under> one = begin({object});
  const std::shared_ptr<Under> two = begin({object});
  wait_for_held_reads(1);
  upstream_->release_reads();
  EXPECT_TRUE(one->wait()[0].ok());
  EXPECT_TRUE(two->wait()[0].ok());
  EXPECT_EQ(upstream_->read_count(), 1U);
}

TEST_F(BringerTest, AReaderDoesNotWaitForTheTurnOfBulkWork) {
  upstream_->hold_reads();
  const BringRequest object = put("a", testing::patterned(kMiB));
  const std::shared_ptr<Under> brought = begin({object});
  wait_for_held_reads(1);
  std::promise<Result<std::string>> read;
  store_->read({.key = "a", .if_version = object.version}, {}, [&](const Result<ReadBytes>& bytes) {
    read.set_value(bytes.ok() ? Result<std::string>(text_of(*bytes)) : bytes.status());
  });
  ASSERT_TRUE(upstream_->reads()[0].context.cancellation.stop_requested());
  ASSERT_TRUE(upstream_->step());  // it was cancelled, and begins again
  ASSERT_EQ(upstream_->reads().size(), 2U);
  EXPECT_EQ(upstream_->reads()[0].context.priority, Priority::kBulk);
  EXPECT_EQ(upstream_->reads()[1].context.priority, Priority::kDemand);
  upstream_->release_reads();
  EXPECT_EQ(*read.get_future().get(), testing::patterned(kMiB));
  EXPECT_TRUE(brought->wait()[0].ok());
}

TEST_F(BringerTest, OnlySoMuchIsUnderWay) {
  upstream_->hold_reads();
  std::vector<BringRequest> objects;
  for (size_t i = 0; i < Bringer::kMaxPieces + 8; ++i) {
    objects.push_back(put(std::to_string(i), "text"));
  }
  const std::shared_ptr<Under> many = begin(objects);
  const std::shared_ptr<Under> large =
      begin({put("large", testing::patterned(Bringer::kMaxBytes + 4 * kMiB))});
  wait_for_held_reads(Bringer::kMaxPieces);
  EXPECT_EQ(upstream_->read_count(), Bringer::kMaxPieces);
  while (upstream_->step()) {
    uint64_t bytes = 0;
    EXPECT_LE(upstream_->held_reads(), Bringer::kMaxPieces);
    for (const auto& read : upstream_->reads()) {
      bytes = std::max(bytes, read.length_bytes);
    }
    EXPECT_LE(bytes, Bringer::kPieceBytes);
  }
  upstream_->release_reads();
  for (const Result<BringOutcome>& outcome : many->wait()) {
    EXPECT_EQ(*outcome, BringOutcome::kCame);
  }
  const Result<BringOutcome> whole = large->wait()[0];
  EXPECT_TRUE(whole.ok()) << whole.status() << json_of(cache_->statistics());
}

TEST_F(BringerTest, WhatIsCancelledBeforeItsTurnIsNotRead) {
  upstream_->hold_reads();
  std::vector<BringRequest> objects;
  for (size_t i = 0; i < Bringer::kMaxPieces + 8; ++i) {
    objects.push_back(put(std::to_string(i), "text"));
  }
  std::stop_source stop;
  const std::shared_ptr<Under> many =
      begin(objects, {.cancellation = stop.get_token(), .priority = Priority::kBulk});
  wait_for_held_reads(Bringer::kMaxPieces);
  stop.request_stop();
  upstream_->release_reads();
  for (const Result<BringOutcome>& outcome : many->wait()) {
    EXPECT_EQ(outcome.status().code(), StatusCode::kCancelled);
  }
  EXPECT_EQ(upstream_->read_count(), Bringer::kMaxPieces);
}

TEST_F(BringerTest, ErrorsAreThoseOfTheirObjects) {
  BringRequest old = put("old", "one");
  put("old", "two");
  BringRequest beyond = put("beyond", "text");
  beyond.offset_bytes = 5;
  const BringRequest absent = {.key = "absent"};
  const Outcomes outcomes = bring({old, beyond, absent, put("sound", "text")});
  EXPECT_EQ(outcomes[0].status().code(), StatusCode::kAborted) << outcomes[0].status();
  EXPECT_EQ(outcomes[1].status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(outcomes[2].status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(outcomes[3].ok());
}

// Listings of web servers name no versions.
TEST_F(BringerTest, OfAnObjectWithoutAVersionTheOneThatThereIsIsBrought) {
  const BringRequest whole = put("large", testing::patterned(3 * kMiB));
  put("small", "text");
  put("empty", "");
  const Outcomes outcomes = bring({{.key = "large"}, {.key = "small"}, {.key = "empty"}});
  EXPECT_EQ(*outcomes[0], BringOutcome::kCame);
  EXPECT_EQ(*outcomes[1], BringOutcome::kCame);
  EXPECT_EQ(*outcomes[2], BringOutcome::kWasThere);
  upstream_->forget_reads();
  EXPECT_EQ(*get(whole), testing::patterned(3 * kMiB));
  EXPECT_EQ(upstream_->read_count(), 0U);
}

TEST_F(BringerTest, WhatIsNotKeptByRuleIsNotRead) {
  open({.admission = {{.prefix = upstream_->uri_of("no/"), .is_cached = false}}});
  const Outcomes outcomes = bring({put("no/a", "text"), put("yes/a", "text")});
  EXPECT_EQ(outcomes[0].status().code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(outcomes[1].ok());
  EXPECT_EQ(upstream_->read_count("no/a"), 0U);
}

TEST_F(BringerTest, WhatIsReadBackOtherwiseIsAnErrorAndGoes) {
  BringRequest sound = put("sound", testing::patterned(20'000));
  BringRequest large = put("large", testing::patterned(3 * kMiB));
  sound.is_verified = large.is_verified = true;
  const Outcomes first = bring({sound, large});
  EXPECT_EQ(*first[0], BringOutcome::kCame);
  EXPECT_EQ(*first[1], BringOutcome::kCame);
  // Bits flip on disk; what was found sound once is compared again.
  flip_a_bit_of_each(directory_ / "cache/segments");
  flip_a_bit_of_each(directory_ / "cache/objects");
  const Outcomes damaged = bring({sound, large});
  EXPECT_EQ(damaged[0].status().code(), StatusCode::kDataLoss) << damaged[0].status();
  EXPECT_EQ(damaged[1].status().code(), StatusCode::kDataLoss) << damaged[1].status();
  cache_->flush();  // a damaged chunk's place is free once its disk has let it go
  const Outcomes again = bring({sound, large});
  EXPECT_EQ(*again[0], BringOutcome::kCame);
  EXPECT_EQ(*again[1], BringOutcome::kCame);
  EXPECT_EQ(*get(large), testing::patterned(3 * kMiB));
}

// Nothing is wrong with the objects: whoever asked may ask the next cache for them.
TEST_F(BringerTest, AClosedCacheHasCancelledWhatIsAskedOfIt) {
  const BringRequest object = put("a", std::string(1000, 'a'));
  cache_->close();
  EXPECT_EQ(bring({object})[0].status().code(), StatusCode::kCancelled);
}

TEST_F(BringerTest, WhatLandsInAClosedCacheIsCancelled) {
  const BringRequest object = put("a", std::string(1000, 'a'));
  upstream_->hold_reads();
  const std::shared_ptr<Under> under = begin({object});
  wait_for_held_reads(1);
  cache_->close();
  upstream_->release_reads();
  EXPECT_EQ(under->wait()[0].status().code(), StatusCode::kCancelled);
}

TEST_F(BringerTest, StoresWithoutACacheSaySo) {
  store_ = bucket_;
  EXPECT_EQ(bring({put("a", "text")})[0].status().code(), StatusCode::kUnimplemented);
  EXPECT_FALSE(store_->features().can_bring);
}

}  // namespace
}  // namespace forebay::cache
