// A process whose daemon was not there, has gone, or serves its parent, connects anew.
#include "forebay/cache/client/host_connector.h"
#include "forebay/base/testing/wait_for_child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/stepped_timer.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

class HostConnectorTest : public ::testing::Test {
 protected:
  std::shared_ptr<HostConnector> new_connector() {
    return std::make_shared<HostConnector>(
        [this]() -> Result<std::shared_ptr<HostClient>> {
          ++attempts_;
          return HostClient::connect(daemon_.socket());
        },
        clock_, timer_);
  }
  std::shared_ptr<HostStore> new_store(std::shared_ptr<HostConnector> host) {
    return HostStore::create(std::move(host), daemon_.upstream_store());
  }
  void put(const std::string& key, const std::string& text) {
    ASSERT_TRUE(write_now(daemon_.upstream(), key, std::as_bytes(std::span(text))).ok());
  }
  static std::string get(storage::ObjectStore& store, const std::string& key) {
    const Result<storage::ReadBytes> read = read_now(store, {.key = key});
    return read.ok() ? storage::text_of(*read) : read.status().ToString();
  }
  /// Reads until the daemon serves this process. For a moment a connection to one before it may seem to last.
  void read_until_served(storage::ObjectStore& store, const std::string& key, const std::string& text) {
    do {
      ASSERT_EQ(get(store, key), text);
    } while (!store.features().can_bring || daemon_.server().users() == 0);
  }

  /// Reads until this process knows that its daemon has gone.
  static void read_until_noticed(storage::ObjectStore& store, const std::string& key,
                                 const std::string& text) {
    do {
      ASSERT_EQ(get(store, key), text);
    } while (store.features().can_bring);
  }

  TemporaryDirectory directory_;
  HostedCache daemon_{directory_.path()};
  SteppedClock clock_;
  SteppedTimer timer_;
  std::atomic<int> attempts_{0};
};

TEST_F(HostConnectorTest, TheFirstCallsWaitForTheConnection) {
  put("a", "text");
  const std::shared_ptr<HostStore> store = new_store(new_connector());
  EXPECT_EQ(get(*store, "a"), "text");
  EXPECT_EQ(daemon_.cache().statistics().upstream_reads, 1U) << "the daemon's";
  EXPECT_EQ(daemon_.server().users(), 1U);
}

// A daemon that reads a large directory first, or is not given a processor.
TEST_F(HostConnectorTest, NobodyWaitsLongForADaemonThatComesUpSlowly) {
  put("a", "text");
  std::promise<void> may_go_on;
  const auto host = std::make_shared<HostConnector>(
      [&, go_on = may_go_on.get_future().share()]() -> Result<std::shared_ptr<HostClient>> {
        go_on.wait();
        return HostClient::connect(daemon_.socket());
      },
      clock_, timer_);
  const std::shared_ptr<HostStore> store = new_store(host);
  std::optional<std::string> answer;
  store->read({.key = "a"}, {}, [&](const Result<storage::ReadBytes>& read) {
    answer = read.ok() ? storage::text_of(*read) : read.status().ToString();
  });
  timer_.advance_ns(HostConnector::kMaxWaitNs - 1);
  EXPECT_EQ(answer, std::nullopt);
  timer_.advance_ns(1);
  EXPECT_EQ(answer, "text") << "from upstream";
  EXPECT_EQ(daemon_.cache().statistics().upstream_reads, 0U);
  may_go_on.set_value();
  read_until_served(*store, "a", "text");
  EXPECT_EQ(daemon_.server().users(), 1U);
}

TEST_F(HostConnectorTest, ManyThreadsMakeOneConnection) {
  put("a", "text");
  const std::shared_ptr<HostStore> store = new_store(new_connector());
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(get(*store, "a"), "text"); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(attempts_, 1);
  EXPECT_EQ(daemon_.cache().statistics().upstream_reads, 1U);
}

TEST_F(HostConnectorTest, AfterTheDaemonsRestartItIsAskedAgain) {
  put("a", "text");
  const std::shared_ptr<HostStore> store = new_store(new_connector());
  ASSERT_EQ(get(*store, "a"), "text");
  daemon_.stop();
  daemon_.start();
  read_until_served(*store, "a", "text");
  EXPECT_EQ(daemon_.server().users(), 1U);
}

TEST_F(HostConnectorTest, ADaemonThatComesLaterIsFoundAfterAWhile) {
  put("a", "text");
  daemon_.stop();
  const std::shared_ptr<HostStore> store = new_store(new_connector());
  EXPECT_EQ(get(*store, "a"), "text");
  daemon_.start();
  EXPECT_EQ(get(*store, "a"), "text");
  EXPECT_EQ(attempts_, 1) << "not with each call";
  EXPECT_EQ(daemon_.server().users(), 0U);
  clock_.advance_ns(2 * HostConnector::kLeastDelayNs);
  read_until_served(*store, "a", "text");
  EXPECT_EQ(attempts_, 2);
}

TEST(HostConnectorDelay, GrowsUpToABound) {
  EXPECT_GE(HostConnector::delay_after(1), HostConnector::kLeastDelayNs);
  for (uint32_t failures = 2; failures < 6; ++failures) {
    EXPECT_GT(HostConnector::delay_after(failures), HostConnector::delay_after(failures - 1));
  }
  for (const uint32_t failures : {7u, 100u, ~0u}) {
    EXPECT_GE(HostConnector::delay_after(failures), HostConnector::kMaxDelayNs);
    EXPECT_LE(HostConnector::delay_after(failures), HostConnector::kMaxDelayNs * 5 / 4);
  }
}

TEST_F(HostConnectorTest, ADaemonThatDiesAtOnceIsNotAskedInALoop) {
  put("a", "text");
  const std::shared_ptr<HostStore> store = new_store(new_connector());
  ASSERT_EQ(get(*store, "a"), "text");
  daemon_.stop();
  daemon_.start();
  read_until_served(*store, "a", "text");
  daemon_.stop();
  daemon_.start();
  read_until_noticed(*store, "a", "text");
  const int attempts = attempts_;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(get(*store, "a"), "text");
  }
  EXPECT_EQ(attempts_, attempts) << "its second death in a second";
  clock_.advance_ns(2 * HostConnector::kLeastDelayNs);
  read_until_served(*store, "a", "text");
}

TEST_F(HostConnectorTest, ForkedChildrenShareOneReadOfEachByte) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  const std::string text(1 << 20, 'x');
  put("a", text);
  put("b", text);
  const std::shared_ptr<HostStore> store = new_store(new_connector());
  ASSERT_EQ(get(*store, "a"), text);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      // What the child reads past the daemon would be seen nowhere, so its upstream refuses.
      daemon_.upstream().fail_reads("a", unavailable("read past the daemon"));
      daemon_.upstream().fail_reads("b", unavailable("read past the daemon"));
      _exit(get(*store, "a") == text && get(*store, "b") == text ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    wait_for_child(child, &status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(daemon_.cache().statistics().upstream_bytes, 2 * kMiB);
}

TEST_F(HostConnectorTest, ACallThatEndsWhileItWaitsIsAnsweredAtOnce) {
  put("a", "text");
  std::promise<void> may_connect;
  const auto host = std::make_shared<HostConnector>(
      [this, wait = may_connect.get_future().share()]() -> Result<std::shared_ptr<HostClient>> {
        wait.wait();
        return HostClient::connect(daemon_.socket());
      },
      clock_);
  const std::shared_ptr<HostStore> store = new_store(host);
  std::stop_source stop;
  std::promise<Status> answered;
  store->read({.key = "a"}, {.cancellation = stop.get_token()},
              [&](Result<storage::ReadBytes> read) { answered.set_value(read.status()); });
  stop.request_stop();
  EXPECT_EQ(answered.get_future().get().code(), StatusCode::kCancelled);
  may_connect.set_value();
  EXPECT_EQ(get(*store, "a"), "text");
}

}  // namespace
}  // namespace forebay::cache
