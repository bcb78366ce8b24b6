// What commands ask of a daemon: walks, rules, what it says of itself.
#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <thread>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/hosted/host_session.h"
#include "forebay/cache/hosted/host_status.h"
#include "forebay/cache/messages/shown_name.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "nlohmann/json.hpp"

namespace forebay::cache {
namespace {

class HostUpkeepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string key : {"a/1", "a/2", "ab/3"}) {
      const std::string content(1000, key.back());
      ASSERT_TRUE(write_now(daemon_.upstream(), key, std::as_bytes(std::span(content))).ok());
      ASSERT_TRUE(read_now(*store_, {.key = key}).ok());
    }
    daemon_.cache().flush();
  }
  std::string uri(const std::string& key) { return daemon_.upstream().uri_of(key); }
  nlohmann::json status() { return nlohmann::json::parse(*client_->statistics()); }

  TemporaryDirectory directory_;
  HostedCache daemon_{directory_.path()};
  const std::shared_ptr<HostStore> store_ = daemon_.new_store();
  const std::shared_ptr<HostClient> client_ = *HostClient::connect(daemon_.socket());
};

TEST_F(HostUpkeepTest, WalksAreDoneByTheDaemon) {
  const Result<CacheWalked> verified = client_->walk({.kind = WalkKind::kVerify});
  ASSERT_TRUE(verified.ok()) << verified.status();
  EXPECT_TRUE(verified->is_over());
  EXPECT_EQ(verified->entries, 3u);
  EXPECT_EQ(client_->walk({.kind = WalkKind::kFree, .uri = uri("a")})->dropped, 2u);
  EXPECT_EQ(daemon_.cache().statistics().entries, 1u);
  const std::string long_name(kMaxNameBytes + 1, 'x');
  EXPECT_EQ(client_->walk({.uri = long_name}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(client_->is_usable());
}

// So that a monitor that asks every few seconds does not keep a daemon alive that nobody needs.
TEST_F(HostUpkeepTest, WhoOnlyLooksAtTheCountsIsNoUser) {
  // On the loop's thread, a moment after the answer; the test's deadline ends what does not come.
  const auto wait_for_users = [&](size_t users) {
    while (daemon_.server().users() != users) {
      std::this_thread::yield();
    }
  };
  wait_for_users(2);  // the store's connection, and this one, which has not said what it wants
  status();
  wait_for_users(1);
  EXPECT_TRUE(client_->walk({}).ok());
  wait_for_users(2);
  status();
  const std::shared_ptr<HostClient> monitor = *HostClient::connect(daemon_.socket());
  EXPECT_TRUE(monitor->statistics().ok());
  wait_for_users(2);
  EXPECT_EQ(daemon_.server().users_gone(), 0u);
}

TEST_F(HostUpkeepTest, OneProcessHasOnlySoManyWalksUnderWay) {
  std::promise<void> go_on;
  daemon_.cache().do_later([held = go_on.get_future()]() mutable { held.get(); });
  std::vector<std::future<Result<CacheWalked>>> walks;
  for (size_t i = 0; i <= HostSession::kMaxWalks; ++i) {
    walks.push_back(std::async(std::launch::async, [&] { return client_->walk({}); }));
  }
  // One is refused, and so is the first to be answered.
  size_t refused = 0;
  while (refused == 0) {
    for (auto& walk : walks) {
      if (walk.valid() && walk.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready) {
        EXPECT_EQ(walk.get().status().code(), StatusCode::kResourceExhausted);
        ++refused;
      }
    }
  }
  go_on.set_value();
  for (auto& walk : walks) {
    if (walk.valid()) {
      EXPECT_TRUE(walk.get().ok());
    }
  }
  EXPECT_EQ(refused, 1u);
}

TEST_F(HostUpkeepTest, RulesAreReadWhenTheyHaveChanged) {
  daemon_.rules() = std::vector<AdmissionRule>{{.prefix = uri("a"), .retention = {.is_pinned = true}}};
  const Result<std::string> counts = client_->take_rules();
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(nlohmann::json::parse(*counts)["pinned_bytes"], 2000);
  EXPECT_EQ(client_->walk({.kind = WalkKind::kFree})->pinned, 2u);
  daemon_.rules() = data_loss("rules.json: broken");
  EXPECT_EQ(client_->take_rules().status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(status()["pinned_bytes"], 2000);
}

TEST_F(HostUpkeepTest, TheDaemonTellsWhoWaitsForWhat) {
  std::promise<void> go_on;
  const std::shared_future<void> held = go_on.get_future().share();
  daemon_.cache().do_later([held] { held.get(); });
  const auto walk = std::async(std::launch::async, [&] { return client_->walk({.uri = "s3://b/waits"}); });
  const std::shared_ptr<HostClient> other = *HostClient::connect(daemon_.socket());
  nlohmann::json shown;
  do {  // the walk's message may come later
    shown = nlohmann::json::parse(*other->statistics());
  } while (shown["processes"][0]["waiting"] == 0);
  EXPECT_EQ(shown["daemon"]["processes"], 3);
  EXPECT_EQ(shown["processes"].size(), 3u);
  EXPECT_EQ(shown["processes"][0]["waits_for"], "s3://b/waits");
  EXPECT_EQ(shown["processes"][0]["pid"], ::getpid());
  EXPECT_EQ(shown["reads"], 3);
  EXPECT_EQ(shown["read_bytes"], 3000);
  EXPECT_EQ(shown["quota_bytes"], 64 * kMiB);
  EXPECT_GT(shown["daemon"]["resident_bytes"], 1000);
  go_on.set_value();
}

TEST_F(HostUpkeepTest, AQuestionCanBeGivenUp) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(client_->statistics(stop.get_token()).status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(client_->statistics().ok());
}

TEST(HostStatus, ShownNamesAreShortAndHaveNoControlCharacters) {
  EXPECT_EQ(shown_name("s3://b/k"), "s3://b/k");
  EXPECT_EQ(shown_name("a\n\033[2J\xff\x7f\xC2\x9B"), "a??[2J????");
  EXPECT_EQ(shown_name("/donn\xC3\xA9"
                       "es/\xE6\xB0\xB4"),
            "/donn\xC3\xA9"
            "es/\xE6\xB0\xB4");
  const std::string shown = shown_name(std::string(500, 'x') + "end");
  EXPECT_EQ(shown.size(), kMaxShownNameBytes);
  EXPECT_TRUE(shown.starts_with("...") && shown.ends_with("xend"));
}

}  // namespace
}  // namespace forebay::cache
