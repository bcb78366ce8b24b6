// What a process writes in parts, or as a whole that is large, is in the daemon's cache afterwards; what gets
// no name leaves nothing behind.
#include "forebay/cache/hosted/host_drafts.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/cache/testing/patterned.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;

constexpr uint64_t kQuotaBytes = 256 * kMiB;
constexpr size_t kLargeBytes = 40 * kMiB;  // more than a message holds, less than drafts may take
static_assert(kLargeBytes > HostClient::kMaxGivenBytes && kLargeBytes < kQuotaBytes / 4);

class HostDraftsTest : public ::testing::Test {
 protected:
  void SetUp() override { start(kQuotaBytes); }
  void start(uint64_t quota_bytes) {
    daemon_.stop();
    CacheOptions options;
    options.directories = {
        {.path = daemon_.cache_directory(), .quota_bytes = quota_bytes, .least_free_bytes = 0}};
    daemon_.start(std::move(options));
    writer_ = daemon_.new_store();
  }
  std::unique_ptr<storage::ObjectWriter> open(const std::string& key) {
    return *writer_->open_writer(key, {});
  }
  /// The daemon has taken what came before.
  void settle() { (void)stat_now(*writer_, "none"); }
  /// What another process reads, and how often upstream was asked for bytes.
  void expect_read(const std::string& key, const std::string& text, uint64_t upstream_reads) {
    settle();
    daemon_.cache().flush();
    const uint64_t before = daemon_.cache().statistics().upstream_reads;
    const Result<storage::ReadBytes> read = read_now(*daemon_.new_store(), {.key = key});
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(storage::text_of(*read) == text);
    EXPECT_EQ(daemon_.cache().statistics().upstream_reads - before, upstream_reads);
  }
  /// Whether a fourth of the quota, which drafts may take, is free.
  bool is_all_room_free(uint64_t quota_bytes) {
    settle();
    daemon_.cache().flush();
    const std::string most(quota_bytes / 4, 'x');
    return daemon_.cache().new_draft()->append(as_bytes(most));
  }

  TemporaryDirectory directory_;
  HostedCache daemon_{directory_.path()};
  std::shared_ptr<HostStore> writer_;
};

TEST_F(HostDraftsTest, WhatIsWrittenInPartsIsInTheCache) {
  const std::string text = testing::patterned(21 * kMiB + 5);
  const auto writer = open("a");
  for (size_t at = 0; at < text.size(); at += 5 * kMiB) {
    ASSERT_TRUE(append_now(*writer, as_bytes(text).subspan(at, std::min(5 * kMiB, text.size() - at))).ok());
  }
  ASSERT_TRUE(commit_now(*writer).ok());
  expect_read("a", text, 0);
}

TEST_F(HostDraftsTest, PartsMayBeOnTheirWayTogether) {
  const std::string text = testing::patterned(40 * kMiB);
  const auto writer = open("a");
  std::vector<std::future<Status>> answers;
  for (size_t at = 0; at < text.size(); at += 10 * kMiB) {
    auto answer = std::make_shared<std::promise<Status>>();
    answers.push_back(answer->get_future());
    writer->append(as_bytes(text).subspan(at, 10 * kMiB), {},
                   [answer](Status status) { answer->set_value(std::move(status)); });
  }
  for (std::future<Status>& answer : answers) {
    EXPECT_TRUE(answer.get().ok());
  }
  ASSERT_TRUE(commit_now(*writer).ok());
  expect_read("a", text, 0);
}

TEST_F(HostDraftsTest, ALargeWholeIsInTheCache) {
  const std::string text = testing::patterned(HostClient::kMaxGivenBytes + 12345);
  ASSERT_TRUE(write_now(*writer_, "a", as_bytes(text)).ok());
  expect_read("a", text, 0);
}

TEST_F(HostDraftsTest, TheLastOfTwoWritersCounts) {
  const std::string first = testing::patterned(6 * kMiB);
  const std::string second = first.substr(kMiB);
  const auto one = open("a");
  const auto other = open("a");
  ASSERT_TRUE(append_now(*one, as_bytes(first)).ok());
  ASSERT_TRUE(append_now(*other, as_bytes(second)).ok());
  ASSERT_TRUE(commit_now(*other).ok());
  ASSERT_TRUE(commit_now(*one).ok());
  expect_read("a", first, 0);
}

TEST_F(HostDraftsTest, WhatGetsNoNameLeavesNothing) {
  {
    const auto writer = open("a");
    ASSERT_TRUE(append_now(*writer, as_bytes(testing::patterned(kLargeBytes))).ok());
    EXPECT_FALSE(is_all_room_free(kQuotaBytes));
  }
  EXPECT_TRUE(is_all_room_free(kQuotaBytes));
}

TEST_F(HostDraftsTest, AWriteThatFailsLeavesNothing) {
  ASSERT_TRUE(write_now(daemon_.upstream(), "a", as_bytes("first")).ok());
  const std::string text = testing::patterned(kLargeBytes);
  EXPECT_FALSE(write_now(*writer_, "a", as_bytes(text), {.if_absent = true}).ok());
  {
    const auto writer = *writer_->open_writer("a", {.if_absent = true});
    ASSERT_TRUE(append_now(*writer, as_bytes(text)).ok());
    EXPECT_FALSE(commit_now(*writer).ok());
  }
  EXPECT_TRUE(is_all_room_free(kQuotaBytes));
}

TEST_F(HostDraftsTest, AProcessThatEndsLeavesNothing) {
  const auto writer = open("a");
  ASSERT_TRUE(append_now(*writer, as_bytes(testing::patterned(kLargeBytes))).ok());
  const auto client = *HostClient::connect(daemon_.socket());
  const std::string part = testing::patterned(20 * kMiB);
  std::promise<Status> given;
  client->open_store({}).IgnoreError();
  client->give_part(
      {.store = 1, .uri = daemon_.upstream().uri_of("b"), .draft = 99, .length_bytes = part.size()},
      as_bytes(part), {}, [&](Status status) { given.set_value(std::move(status)); });
  EXPECT_TRUE(given.get_future().get().ok());
  daemon_.stop();
  start(kQuotaBytes);
  EXPECT_TRUE(is_all_room_free(kQuotaBytes));
  EXPECT_TRUE(append_now(*writer, as_bytes(part)).ok());  // whose daemon has gone
  EXPECT_TRUE(commit_now(*writer).ok());
}

TEST_F(HostDraftsTest, WhatHasNoRoomIsWrittenAllTheSame) {
  start(16 * kMiB);
  const std::string text = testing::patterned(9 * kMiB);
  const auto writer = open("a");
  ASSERT_TRUE(append_now(*writer, as_bytes(text).first(3 * kMiB)).ok());
  ASSERT_TRUE(append_now(*writer, as_bytes(text).subspan(3 * kMiB)).ok());
  ASSERT_TRUE(commit_now(*writer).ok());
  EXPECT_TRUE(is_all_room_free(16 * kMiB));
  expect_read("a", text, 1);
}

TEST_F(HostDraftsTest, PathsThatAreNotCachedAreNotKept) {
  daemon_.rules() =
      std::vector<AdmissionRule>{{.prefix = daemon_.upstream().uri_of("no"), .is_cached = false}};
  ASSERT_TRUE((*HostClient::connect(daemon_.socket()))->take_rules().ok());
  const std::string text = testing::patterned(kLargeBytes);
  ASSERT_TRUE(write_now(*writer_, "no/a", as_bytes(text)).ok());
  settle();
  daemon_.cache().flush();
  EXPECT_EQ(daemon_.cache().statistics().entries, 0u);
}

// Numbers of a process that does not do as it should.
TEST_F(HostDraftsTest, PartsAtOddPlacesAreNotKept) {
  const std::shared_ptr<HostClient> client = *HostClient::connect(daemon_.socket());
  const uint32_t store = *client->open_store({});
  const std::string text = testing::patterned(1000);
  const auto give = [&](uint64_t draft, uint64_t offset_bytes) {
    std::promise<Status> given;
    client->give_part({.store = store,
                       .uri = daemon_.upstream().uri_of("a"),
                       .draft = draft,
                       .offset_bytes = offset_bytes,
                       .length_bytes = text.size()},
                      as_bytes(text), {}, [&](Status status) { given.set_value(std::move(status)); });
    return given.get_future().get();
  };
  EXPECT_FALSE(give(1, ~uint64_t{0}).ok());
  EXPECT_FALSE(give(2, uint64_t{1} << 50).ok());
  EXPECT_TRUE(give(3, 1000).ok());
  client->changed({.store = store,
                   .uri = daemon_.upstream().uri_of("a"),
                   .stat = storage::ObjectStat{.size_bytes = 2000, .version = "v"},
                   .draft = 3});                                           // its first half was never given
  for (uint64_t draft = 0; draft < HostDrafts::kMaxDrafts - 2; ++draft) {  // the first two are still there
    EXPECT_TRUE(give(10 + draft, 0).ok()) << draft;
  }
  EXPECT_EQ(give(5000, 0).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(daemon_.cache().statistics().entries, 0u);
}

}  // namespace
}  // namespace forebay::cache
