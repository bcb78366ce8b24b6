#include "forebay/dataset/index/growing_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/testing/gate.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/dataset/tfrecord/tfrecord_source.h"
#include "forebay/dataset/webdataset/webdataset_indexer.h"
#include "forebay/dataset/webdataset/webdataset_source.h"
#include "forebay/storage/interruptible_waits.h"
#include "forebay/storage/testing/hooked_store.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::tar_archive;
using testing::text_of;

std::string shard_of(const std::string& name, int samples) {
  std::vector<std::pair<std::string, std::string>> members;
  for (int i = 0; i < samples; ++i) {
    members.emplace_back(std::to_string(i) + ".txt", name + std::to_string(i));
  }
  return tar_archive(members);
}

/// So long that each header behind such a content is a read of its own, however long reads take.
constexpr uint64_t kApartBytes = 1'200'000;
std::string contents_apart() {
  return std::string(kApartBytes, 'x');
}

class GrowingSourceTest : public ::testing::Test {
 protected:
  GrowingSourceTest() {
    registry_.mount("mem://set/", store_);
    store_->before_read = [this](const storage::ReadRequest& request) {
      if (is_gated_ && is_gated_(request)) {
        gate_.pass();
      }
    };
  }
  ~GrowingSourceTest() override { gate_.open(); }

  WebdatasetOptions options() {
    WebdatasetOptions options;
    options.paths = paths_;
    options.ext = ext_;
    options.registry = &registry_;
    return options;
  }
  static Result<std::shared_ptr<Source>> whole_of(const GrowingSource& source) {
    FOREBAY_RETURN_IF_ERROR(source.await_known(GrowingIndex::kAll));
    return source.whole();
  }
  std::shared_ptr<GrowingSource> open() {
    const Result<std::shared_ptr<Source>> source = open_webdataset_source(options(), order_);
    EXPECT_TRUE(source.ok()) << source.status();
    return std::dynamic_pointer_cast<GrowingSource>(*source);
  }
  void put(const std::string& name, const std::string& content) {
    paths_.push_back(set_.put(name + ".tar", content));
  }
  static std::vector<std::string> texts_of(const Source& source, int64_t count) {
    std::vector<std::string> texts;
    for (int64_t i = 0; i < count; ++i) {
      const Result<Record> record = read_now(source, i);
      EXPECT_TRUE(record.ok()) << record.status();
      texts.push_back(record.ok() ? text_of(record->fields[0]) : "");
    }
    return texts;
  }

  testing::MemorySet set_;
  std::shared_ptr<storage::HookedStore> store_ = std::make_shared<storage::HookedStore>(set_.store);
  storage::StoreRegistry registry_;
  std::vector<std::string> paths_;
  std::vector<std::string> ext_ = {"txt"};
  OrderOptions order_;
  forebay::testing::Gate gate_;
  std::function<bool(const storage::ReadRequest&)> is_gated_;
};

TEST_F(GrowingSourceTest, TheFirstShardIsReadWhileTheOthersAreScanned) {
  put("a", shard_of("a", 2));
  put("b", shard_of("b", 3));
  put("c", shard_of("c", 1));
  is_gated_ = [](const storage::ReadRequest& request) { return request.key == "b.tar"; };
  const std::shared_ptr<GrowingSource> source = open();
  ASSERT_NE(source, nullptr);
  ASSERT_TRUE(source->await_known(2).ok());
  EXPECT_EQ(source->size(), 2);
  EXPECT_EQ(source->whole(), nullptr);
  EXPECT_THAT(texts_of(*source, 2), ElementsAre("a0", "a1"));
  EXPECT_EQ(source->locate(2).status().code(), StatusCode::kOutOfRange);

  std::promise<Status> known;
  source->when_known(4, [&](const Status& status) { known.set_value(status); });
  gate_.open();
  EXPECT_TRUE(known.get_future().get().ok());
  EXPECT_THAT(texts_of(*source, 4), ElementsAre("a0", "a1", "b0", "b1"));
  const Result<std::shared_ptr<Source>> whole = whole_of(*source);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ((*whole)->size(), 6);
  EXPECT_EQ(source->size(), 6);
  EXPECT_EQ(texts_of(*source, 6), texts_of(**whole, 6));
}

/// The texts of a reader's first samples, in the order of their shards.
std::vector<std::string> own_texts(const GrowingSource& source, int64_t count) {
  std::vector<std::string> texts;
  for (int64_t k = 0; k < count; ++k) {
    const PlaceInShard at = source.place_of(static_cast<uint64_t>(k));
    const Result<Record> record = read_now(source, number_in_shard(at.shard, at.place));
    EXPECT_TRUE(record.ok()) << record.status();
    texts.push_back(record.ok() ? text_of(record->fields[0]) : "");
  }
  return texts;
}

/// Of forty shards of two samples each the last one is held back, whose own samples are the reader's last.
class ByShardTest : public GrowingSourceTest {
 protected:
  static constexpr int kShards = 40;

  void expect_first_before_last(uint32_t readers, size_t own_shards, int64_t early) {
    for (int i = 0; i < kShards; ++i) {
      put(std::to_string(i), shard_of(std::to_string(i) + " ", 2));
    }
    order_ = {.num_shards = readers, .shard_id = readers - 1, .seed = 8, .shard_first = true};
    const ReadingOrder order = ReadingOrder::of(order_, kShards);
    ASSERT_EQ(order.own.size(), own_shards);
    EXPECT_TRUE(std::ranges::is_permutation(order.shards, ReadingOrder::as_stored(kShards).shards));
    is_gated_ = [last = std::to_string(order.shards.back()) + ".tar"](const storage::ReadRequest& request) {
      return request.key == last;
    };
    std::vector<std::string> expected;
    for (const uint32_t shard : order.own) {
      expected.push_back(std::to_string(shard) + " 0");
      expected.push_back(std::to_string(shard) + " 1");
    }
    expected.resize(static_cast<size_t>(early));
    const std::shared_ptr<GrowingSource> source = open();
    ASSERT_TRUE(source->await_known(early).ok());
    EXPECT_EQ(own_texts(*source, early), expected);
    gate_.wait_until_reached();
    EXPECT_EQ(source->whole(), nullptr);
    for (const int64_t unknown : {int64_t{0}, number_in_shard(kShards, 0), number_in_shard(0, 2)}) {
      EXPECT_EQ(source->locate(unknown).status().code(), StatusCode::kOutOfRange) << unknown;
    }
    gate_.open();
    ASSERT_TRUE(whole_of(*source).ok());
    EXPECT_EQ(own_texts(*source, early), expected) << "as before";
    EXPECT_EQ(source->whole()->stored_shards(), std::vector<uint64_t>(kShards, 2));
  }
};

TEST_F(ByShardTest, WhatOneReaderReadsFirstIsKnownFirst) {
  expect_first_before_last(1, 40, 78);
}

TEST_F(ByShardTest, WhatOneOfThreeReadsFirstIsKnownFirst) {
  expect_first_before_last(3, 14, 26);
}

// What is refused once all shards are counted must not begin before.
TEST(ReadingOrderTest, OfMoreReadersThanCanShareIsAsStored) {
  EXPECT_TRUE(
      ReadingOrder::of({.num_shards = ShardOrder::kMaxShares, .shard_first = true}, 100'000).is_by_shard);
  EXPECT_FALSE(
      ReadingOrder::of({.num_shards = ShardOrder::kMaxShares + 1, .shard_first = true}, 100'000).is_by_shard);
}

TEST(ReadingOrderTest, OfMoreReadersThanShardsIsAsStored) {
  const ReadingOrder order = ReadingOrder::of({.num_shards = 4'000'000'000, .shard_first = true}, 10);
  EXPECT_FALSE(order.is_by_shard);
  EXPECT_EQ(order.own, ReadingOrder::as_stored(10).own);
}

TEST_F(GrowingSourceTest, SamplesOfOneShardAreReadWhileItIsScanned) {
  const std::string content = contents_apart();
  put("a", tar_archive({{"0.txt", content}, {"1.txt", content}, {"2.txt", content}, {"3.txt", content}}));
  is_gated_ = [](const storage::ReadRequest& request) { return request.offset_bytes > 5 * kApartBytes / 2; };
  const std::shared_ptr<GrowingSource> source = open();
  gate_.wait_until_reached();
  // That of the third member has come: the second sample has ended.
  ASSERT_TRUE(source->await_known(2).ok());
  EXPECT_EQ(source->size(), 2);
  EXPECT_THAT(texts_of(*source, 2), ElementsAre(content, content));
  gate_.open();
  EXPECT_EQ((*whole_of(*source))->size(), 4);
}

TEST(GrowingIndexTest, OnAFullWireWhatIsWaitedForGoesFirst) {
  constexpr uint64_t kReadBytes = 4 << 20;
  constexpr int64_t kReadNs = 100'000'000;
  GrowingIndex growing({"a", "b", "c"}, 1, ReadingOrder::as_stored(3));
  const SampleRow row;
  const auto read = [&](size_t which) {
    return std::async(std::launch::async, [&growing, which] { growing.begin_read(which); });
  };
  const auto waits = [](std::future<void>& begun) {
    return begun.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready;
  };
  growing.begin_read(0);
  growing.add(0, {&row, 1});
  growing.when_known(2, [](const Status&) {});
  EXPECT_TRUE(growing.is_awaited(0));
  EXPECT_FALSE(growing.is_awaited(1));
  std::future<void> beside = read(1);
  EXPECT_TRUE(waits(beside));  // nobody knows what the wire takes
  growing.end_read(kReadBytes, kReadNs);
  beside.get();
  growing.begin_read(0);
  std::future<void> third = read(2);
  EXPECT_TRUE(waits(third));
  growing.end_read(kReadBytes, kReadNs);  // as fast as alone
  growing.begin_read(0);
  third.get();
  growing.end_read(kReadBytes, 3 * kReadNs);
  growing.end_read(kReadBytes, 3 * kReadNs);
  std::future<void> too_many = read(1);
  EXPECT_TRUE(waits(too_many));
  growing.add(0, {&row, 1});  // nobody waits any more
  too_many.get();
}

TEST(GrowingIndexTest, AShardThatFailsLetsTheOthersGo) {
  GrowingIndex growing({"a", "b"}, 1, ReadingOrder::as_stored(2));
  std::future<void> beside = std::async(std::launch::async, [&] { growing.begin_read(1); });
  growing.begin_read(0);
  growing.fail();
  beside.get();
}

TEST(GrowingIndexTest, WhatAShardHadItMustHaveInTheEnd) {
  GrowingIndex growing({"a"}, 1, ReadingOrder::as_stored(1));
  const SampleRow row;
  const storage::ObjectStat stat{.size_bytes = 1000, .version = "v"};
  ASSERT_TRUE(growing.begin(0, stat).ok());
  growing.add(0, {&row, 1});
  const ShardRows refused = {.lost_at = 0, .damage = permission_denied("no more")};
  EXPECT_EQ(growing.end(0, refused), refused.damage);
  EXPECT_EQ(growing.begin(0, {.size_bytes = 1000, .version = "w"}).code(), StatusCode::kAborted);
  ASSERT_TRUE(growing.begin(0, stat).ok());
  growing.add(0, {&row, 1});  // what is known already
  EXPECT_EQ(growing.size(), 1);
  EXPECT_TRUE(growing.end(0, {.rows = {row, row}}).ok());
  EXPECT_EQ(growing.size(), 2);
  ASSERT_TRUE(growing.begin(0, stat).ok());
  EXPECT_TRUE(growing.end(0, {.rows = {row, row}}).ok());
  EXPECT_EQ(growing.size(), 2);
  // Those behind it were counted from where it ended.
  ASSERT_TRUE(growing.begin(0, stat).ok());
  EXPECT_EQ(growing.end(0, {.rows = {row, row, row}}).code(), StatusCode::kAborted);
  const ShardRows lost = {.rows = {row}, .lost_at = 600};
  EXPECT_EQ(growing.end(0, lost).code(), StatusCode::kAborted);
}

// The scan before has told of a row; this one could not look at the shard.
TEST(GrowingIndexTest, AShardOfOneSampleThatIsLostWhenItIsScannedAgain) {
  GrowingIndex growing({"a"}, 1, ReadingOrder::as_stored(1));
  const SampleRow row;
  ASSERT_TRUE(growing.begin(0, {.size_bytes = 1000, .version = "v"}).ok());
  growing.add(0, {&row, 1});
  ASSERT_TRUE(growing.end(0, {.rows = {row}}).ok());
  const ShardRows lost = {.lost_at = 0, .damage = not_found("gone")};
  EXPECT_EQ(growing.end(0, lost), lost.damage);
  EXPECT_EQ(growing.size(), 1);
}

TEST_F(GrowingSourceTest, AScanThatWasNotAnsweredIsTriedAgainForWhoWaits) {
  put("a", shard_of("a", 2));
  put("b", shard_of("b", 2));
  set_.store->fail_reads("b.tar", permission_denied("expired"), 1);
  set_.store->fail_stats("b.tar", unavailable("away"));
  const std::shared_ptr<GrowingSource> source = open();
  EXPECT_EQ(source->await_known(GrowingIndex::kAll).code(), StatusCode::kUnavailable);
  set_.store->fail_stats("b.tar", unavailable("away"), 0);
  EXPECT_TRUE(source->await_known(GrowingIndex::kAll).ok());
  EXPECT_EQ(source->size(), 3);  // what may not be read is one lost sample
}

TEST_F(GrowingSourceTest, TheFirstShardGoesAloneUnlessAllAreWaitedFor) {
  put("a", shard_of("a", 2));
  put("b", shard_of("b", 2));
  is_gated_ = [](const storage::ReadRequest& request) { return request.key == "a.tar"; };
  const std::shared_ptr<GrowingSource> source = open();
  gate_.wait_until_reached();
  EXPECT_EQ(set_.store->read_count("b.tar"), 0u);
  std::promise<void> read;
  store_->after_read = [&,
                        is_set = std::make_shared<std::atomic<bool>>()](const storage::ReadRequest& request) {
    if (request.key == "b.tar" && !is_set->exchange(true)) {
      read.set_value();
    }
  };
  std::promise<Status> known;
  source->when_known(GrowingIndex::kAll, [&](const Status& status) { known.set_value(status); });
  read.get_future().get();
  gate_.open();
  EXPECT_TRUE(known.get_future().get().ok());
}

TEST_F(GrowingSourceTest, AnErrorOfTheScanIsToldToThoseWhoWait) {
  put("a", shard_of("a", 2));
  put("b", shard_of("b", 2));
  set_.store->fail_reads("b.tar", permission_denied("not yours"));
  put("c", tar_archive({{"x.jpg", "no text"}}));
  WebdatasetOptions strict = options();
  strict.missing_component_behavior = MissingComponent::kError;
  const Result<std::shared_ptr<Source>> opened = open_webdataset_source(strict, {});
  const auto source = std::dynamic_pointer_cast<GrowingSource>(*opened);
  ASSERT_TRUE(source->await_known(2).ok());
  const Status status = whole_of(*source).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(source->await_known(100), status);
  EXPECT_THAT(texts_of(*source, 2), ElementsAre("a0", "a1"));
}

// A later shard may have it.
TEST_F(GrowingSourceTest, AnExtensionThatOccursNowhereIsToldAtTheEndOfTheScan) {
  put("a", shard_of("a", 2));
  put("b", shard_of("b", 2));
  ext_ = {"txt", "none"};
  is_gated_ = [](const storage::ReadRequest& request) { return request.key == "b.tar"; };
  const std::shared_ptr<GrowingSource> source = open();
  ASSERT_TRUE(source->await_known(2).ok());
  EXPECT_THAT(texts_of(*source, 2), ElementsAre("a0", "a1"));
  gate_.open();
  const Status status = source->await_known(GrowingIndex::kAll);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(message(status)), HasSubstr("no sample has 'none'"));
  EXPECT_THAT(std::string(message(status)), HasSubstr("occur are 'txt'"));
}

TEST_F(GrowingSourceTest, NothingIsKnownWhileNoShardHasASample) {
  paths_ = {"mem://set/missing.tar"};
  const Status status = open()->await_known(1);
  EXPECT_EQ(status.code(), StatusCode::kNotFound) << status;
  put("b", shard_of("b", 1));
  const std::shared_ptr<GrowingSource> source = open();
  ASSERT_TRUE(source->await_known(1).ok());
  EXPECT_EQ(read_now(*source, 0).status().code(), StatusCode::kNotFound);
  EXPECT_EQ((*whole_of(*source))->size(), 2);
}

TEST_F(GrowingSourceTest, AShardThatIsReplacedAmidItsScanEndsIt) {
  const std::string content = contents_apart();
  const std::string archive = tar_archive({{"0.txt", content}, {"1.txt", content}, {"2.txt", content}});
  put("a", archive);
  is_gated_ = [](const storage::ReadRequest& request) { return request.offset_bytes > 3 * kApartBytes / 2; };
  const std::shared_ptr<GrowingSource> source = open();
  ASSERT_TRUE(source->await_known(1).ok());
  gate_.wait_until_reached();
  set_.put("a.tar", archive);
  gate_.open();
  const Status status = whole_of(*source).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
  EXPECT_THAT(std::string(message(status)), HasSubstr("mem://set/a.tar"));
}

TEST_F(GrowingSourceTest, AnIndexThatIsThereIsOpened) {
  put("a", shard_of("a", 2));
  WebdatasetOptions kept = options();
  kept.index_file = "mem://set/side.index";
  ASSERT_TRUE(make_webdataset_source(kept).ok());
  set_.store->forget_reads();
  const Result<std::shared_ptr<Source>> source = open_webdataset_source(kept, {});
  ASSERT_TRUE(std::dynamic_pointer_cast<GrowingSource>(*source)->await_known(1).ok());
  EXPECT_EQ(set_.store->read_count("a.tar"), 0u);
  EXPECT_THAT(texts_of(**source, 2), ElementsAre("a0", "a1"));
}

TEST_F(GrowingSourceTest, TheEndOfASourceEndsItsScan) {
  for (int i = 0; i < 40; ++i) {
    put(std::to_string(i), shard_of("s", 2));
  }
  is_gated_ = [](const storage::ReadRequest& request) { return request.key == "0.tar"; };
  std::shared_ptr<GrowingSource> source = open();
  gate_.wait_until_reached();
  std::promise<Status> known;
  source->when_known(80, [&](const Status& status) { known.set_value(status); });
  const std::jthread opens([this] { gate_.open(); });
  source.reset();
  known.get_future().get().IgnoreError();  // of what was read when the end came
}

TEST_F(GrowingSourceTest, AWaitForAllSamplesIsSaidAndCanBeInterrupted) {
  ShardParts parts = {.paths = {"mem://set/a.tar", "mem://set/b.tar"}, .said_after = {}};
  parts.scan = [this](GrowingIndex*) -> Result<std::shared_ptr<const SampleIndex>> {
    gate_.pass();
    return not_found("nothing");
  };
  parts.source_of = [](const std::shared_ptr<const SampleRows>&) { return std::shared_ptr<Source>(); };
  const GrowingSource source(std::move(parts), ReadingOrder::as_stored(2));
  ::testing::internal::CaptureStderr();
  {
    int looks = 0;
    const storage::InterruptibleWaits waits([&looks] { return ++looks > 2; });
    EXPECT_EQ(whole_of(source).status().code(), StatusCode::kCancelled);
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("all 2 shards are found, 0 so far"));
  gate_.open();
  EXPECT_EQ(whole_of(source).status().code(), StatusCode::kNotFound);
}

TEST_F(GrowingSourceTest, RecordsAreReadWhileOthersAreFound) {
  const std::string record = testing::tfrecord(testing::example({{"f", testing::int64_feature({7})}}));
  TfrecordOptions options;
  options.path = {set_.put("a.tfrecord", record + record), set_.put("b.tfrecord", record)};
  options.registry = &registry_;
  options.features = {{.name = "f", .kind = FeatureKind::kInt64}};
  is_gated_ = [](const storage::ReadRequest& request) { return request.key == "b.tfrecord"; };
  const Result<std::shared_ptr<Source>> opened = open_tfrecord_source(options, {});
  ASSERT_TRUE(opened.ok()) << opened.status();
  const auto source = std::dynamic_pointer_cast<GrowingSource>(*opened);
  ASSERT_NE(source, nullptr);
  ASSERT_TRUE(source->await_known(2).ok());
  EXPECT_TRUE(read_now(*source, 1).ok());
  EXPECT_EQ(source->size(), 2);
  gate_.open();
  EXPECT_EQ((*whole_of(*source))->size(), 3);
}

// Whatever the shards are like, a sample has the number and the place that the whole index gives it.
TEST_F(GrowingSourceTest, SamplesHaveTheirNumbersFromTheBeginning) {
  const std::string whole = shard_of("w", 3);
  const std::string long_member = tar_archive({{"0.txt", "0"}, {"1.txt", std::string(5000, 'x')}});
  std::string damaged = whole;
  damaged[1024 + 100] = '~';
  put("empty", tar_archive({}));
  put("whole", whole);
  put("cut", long_member.substr(0, 3000));
  put("cut between parts", tar_archive({{"0.txt", "0"}, {"0.jpg", "j"}, {"1.jpg", "j"}}).substr(0, 3072));
  put("damaged", damaged);
  paths_.push_back("mem://set/missing.tar");
  put("no tar", std::string(2000, 'n'));
  paths_.push_back("mem://set/whole.tar");
  for (const MissingComponent missing : {MissingComponent::kEmpty, MissingComponent::kSkip}) {
    for (const std::vector<std::string>& ext : {std::vector<std::string>{"txt"}, {"txt", "jpg"}}) {
      WebdatasetOptions odd = options();
      odd.ext = ext;
      odd.missing_component_behavior = missing;
      const std::vector<tensor::DType> dtypes(ext.size(), tensor::DType::kUint8);
      GrowingIndex growing(paths_, static_cast<int>(ext.size()), ReadingOrder::as_stored(paths_.size()));
      const auto index = index_archives(odd, dtypes, 1, 2, &growing);
      ASSERT_TRUE(index.ok()) << index.status();
      ASSERT_EQ(growing.size(), (*index)->size());
      for (int64_t sample = 0; sample < growing.size(); ++sample) {
        for (int field = 0; field < static_cast<int>(ext.size()); ++field) {
          const SampleRow early = growing.row(sample, field);
          const SampleRow late = (*index)->row(sample, field);
          ASSERT_EQ(early.is_missing(), late.is_missing());
          EXPECT_EQ(early.flags, late.flags);
          EXPECT_EQ(early.offset_bytes, late.offset_bytes);
          EXPECT_EQ(early.length_bytes, late.length_bytes);
          if (!early.is_missing()) {
            const IndexedObject object = growing.object(early.object);
            EXPECT_EQ(object.name, (*index)->object(late.object).name);
            EXPECT_EQ(object.version, (*index)->object(late.object).version);
            EXPECT_EQ(object.size_bytes, (*index)->object(late.object).size_bytes);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace forebay::dataset
