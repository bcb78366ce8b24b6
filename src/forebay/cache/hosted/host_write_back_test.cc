// What processes write to a mount that is written back: acknowledged by the daemon's journal, seen by all
// processes, and not past a daemon that has gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/client/written_at_host.h"
#include "forebay/cache/journal/waiting_guard.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/cache/testing/open_when_free.h"
#include "forebay/cache/testing/unsteady_store.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/tree/moves.h"

namespace forebay::cache {
namespace {

using storage::as_bytes;
using storage::ObjectStat;
using storage::text_of;

constexpr uint64_t kMaxWaiting = 64 * kMiB;

class HostWriteBackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    bucket_ = std::make_shared<storage::MemoryStore>();
    upstream_ = std::make_shared<testing::UnsteadyStore>(bucket_);
    upstream_->before_write = [is_down = is_down_](const std::string&) {
      return *is_down ? unavailable("mem://: down") : ok_status();
    };
    start();
  }
  void start() {
    CacheOptions options;
    options.directories = {{.path = directory_ / "cache", .quota_bytes = 512 * kMiB, .least_free_bytes = 0}};
    options.read_into = *shared_memory(64 * kMiB);
    cache_ = testing::open_when_free(options);
    Result<std::unique_ptr<HostServer>> server = failed_precondition("not tried");
    while (server.status().code() == StatusCode::kFailedPrecondition) {
      // What the last one had under way keeps the journal a moment longer.
      server = HostServer::start(server_options());
    }
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  HostServerOptions server_options() {
    return {.socket = directory_ / "socket",
            .cache = cache_,
            .open =
                [upstream = upstream_](const std::string& uri, const storage::StoreUse&) {
                  return Result<storage::ObjectAddress>({upstream, uri.substr(upstream->uri_of("").size())});
                },
            .journal = journal(),
            .mounts = [](const std::string& mount, const std::string&) -> Result<OpenStore> {
              if (mount != "/jobs") {
                return not_found("nothing is mounted at {}", mount);
              }
              return OpenStore{.use = {.write_back_mount = mount, .write_back_bytes = kMaxWaiting}};
            },
            .clock = &still_clock()};
  }
  void stop() {
    server_.reset();
    cache_.reset();
  }
  std::string journal() const { return directory_ / "journal"; }

  /// As another process would have it.
  std::shared_ptr<storage::ObjectStore> new_store(const std::string& mount = "/jobs") {
    const std::shared_ptr<HostClient> client = *HostClient::connect(directory_ / "socket");
    const OpenStore settings = {.use = {.write_back_mount = mount, .write_back_bytes = kMaxWaiting}};
    const auto guarded = std::make_shared<WaitingGuard>(upstream_, journal(), host_files());
    const uint32_t number = *client->open_store(settings);
    return std::make_shared<WrittenAtHost>(*HostStore::create(client, guarded, settings), [client, number] {
      return WritingHost{client, number};
    });
  }
  Result<std::string> read(storage::ObjectStore& store, const std::string& key,
                           const std::string& version = {}) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             read_now(store, {.key = key, .if_version = version}));
    return text_of(read);
  }
  void wait_until_stored() {
    server_->journal()->hurry();
    ASSERT_TRUE(flushed().ok());
  }
  Status flushed() {
    std::promise<Status> stored;
    server_->journal()->when_stored(upstream_->uri_of("") + "k", {},
                                    [&](Status status) { stored.set_value(std::move(status)); });
    return stored.get_future().get();
  }

  const TemporaryDirectory directory_;
  // What is being stored may outlast the test.
  const std::shared_ptr<std::atomic<bool>> is_down_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<storage::MemoryStore> bucket_;
  std::shared_ptr<testing::UnsteadyStore> upstream_;
  std::shared_ptr<Cache> cache_;
  std::unique_ptr<HostServer> server_;
};

TEST_F(HostWriteBackTest, WhatOneProcessWritesAnotherReadsWhileItWaits) {
  *is_down_ = true;
  const std::string content(20 * kMiB, 'c');  // in several messages
  const std::shared_ptr<storage::ObjectStore> writer = new_store();
  const Result<ObjectStat> stat = write_now(*writer, "k", as_bytes(content));
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->key, "k");
  EXPECT_EQ(stat->size_bytes, content.size());
  const std::shared_ptr<storage::ObjectStore> reader = new_store("");  // of a mount that is not written back
  EXPECT_EQ(*read(*reader, "k"), content);
  EXPECT_EQ(stat_now(*reader, "k")->version, stat->version);
  EXPECT_EQ(list_all_now(*reader, {})->objects.size(), 1u);
  EXPECT_FALSE(stat_now(*bucket_, "k").ok());

  *is_down_ = false;
  wait_until_stored();
  EXPECT_EQ(*read(*bucket_, "k"), content);
  EXPECT_EQ(*read(*reader, "k"), content);
  EXPECT_EQ(*read(*reader, "k", stat->version), content);
  EXPECT_EQ(cache_->statistics().upstream_reads, 0u);  // it was taken into the cache
}

TEST_F(HostWriteBackTest, PartsAreOneObjectAndAWriterThatGoesLeavesNothing) {
  const std::shared_ptr<storage::ObjectStore> store = new_store();
  {
    std::unique_ptr<storage::ObjectWriter> writer = *store->open_writer("gone", {});
    ASSERT_TRUE(append_now(*writer, as_bytes(std::string(1000, 'x'))).ok());
  }
  std::unique_ptr<storage::ObjectWriter> writer = *store->open_writer("k", {.if_absent = true});
  ASSERT_TRUE(append_now(*writer, as_bytes(std::string(10 * kMiB, 'a'))).ok());
  ASSERT_TRUE(append_now(*writer, as_bytes(std::string(10, 'b'))).ok());
  ASSERT_TRUE(commit_now(*writer).ok());
  EXPECT_EQ(*read(*store, "k"), std::string(10 * kMiB, 'a') + std::string(10, 'b'));
  EXPECT_EQ(read(*store, "gone").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(write_now(*store, "k", as_bytes(std::string("x")), {.if_absent = true}).status().code(),
            StatusCode::kAlreadyExists);
}

TEST_F(HostWriteBackTest, WhatIsLargerThanItsLimitIsWrittenThrough) {
  const std::shared_ptr<storage::ObjectStore> store = new_store();
  const std::string content(kMaxWaiting + 1, 'c');
  const Result<ObjectStat> stat = write_now(*store, "k", as_bytes(content));
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat_now(*bucket_, "k")->version, stat->version);
  EXPECT_EQ(server_->journal()->status().through, 1u);
}

TEST_F(HostWriteBackTest, ChangesGoThroughTheDaemon) {
  const std::shared_ptr<storage::ObjectStore> store = new_store();
  ASSERT_TRUE(write_now(*store, "k", as_bytes(std::string("one"))).ok());
  ASSERT_TRUE(copy_now(*store, {.from = "k", .to = "copy"}).ok());
  const Result<ObjectStat> moved = rename_now(*store, {.from = "copy", .to = "moved"});
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(moved->key, "moved");
  EXPECT_EQ(*read(*bucket_, "moved"), "one");
  EXPECT_TRUE(remove_now(*store, "k").ok());
  EXPECT_EQ(remove_now(*store, "k").code(), StatusCode::kNotFound);
  EXPECT_EQ(read(*store, "k").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(make_directory_now(*store, "d/").code(), StatusCode::kUnimplemented);
}

// What waits gets another version when it is stored, and is the same object.
TEST_F(HostWriteBackTest, AMoveWaitsForTheVersionThatItsObjectKeeps) {
  *is_down_ = true;
  const std::shared_ptr<storage::ObjectStore> store = new_store();
  ASSERT_TRUE(write_now(*store, "k", as_bytes(std::string("one"))).ok());
  const storage::Place from = {
      .name = "/jobs/k", .address = {store, "k"}, .entry = *storage::find_entry(*store, "k")};
  const auto elsewhere = std::make_shared<storage::MemoryStore>();
  const auto target = std::make_shared<testing::UnsteadyStore>(elsewhere);
  target->before_write = [this](const std::string&) {
    wait_until_stored();
    return ok_status();
  };
  EXPECT_EQ(move_entry(from, {target, "moved"}).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(*read(*store, "k"), "one");
  EXPECT_FALSE(stat_now(*elsewhere, "moved").ok());
  *is_down_ = false;
  const Result<storage::Moved> moved = move_entry(from, {target, "moved"});
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(*read(*elsewhere, "moved"), "one");
  EXPECT_EQ(stat_now(*store, "k").status().code(), StatusCode::kNotFound);
}

TEST_F(HostWriteBackTest, AFolderIsMovedOnceItIsStored) {
  const std::shared_ptr<storage::ObjectStore> store = new_store();
  for (const char* const key : {"d/a", "d/b", "d/e/f", "dd"}) {
    ASSERT_TRUE(write_now(*store, key, as_bytes(std::string(key))).ok());
  }
  const storage::Place from = {
      .name = "/jobs/d", .address = {store, "d"}, .entry = *storage::find_entry(*store, "d")};
  const auto elsewhere = std::make_shared<storage::MemoryStore>();
  const Result<storage::Moved> moved = move_entry(from, {elsewhere, "moved"});
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(moved->objects, 3u);
  EXPECT_EQ(*read(*elsewhere, "moved/e/f"), "d/e/f");
  EXPECT_EQ(list_all_now(*store, {})->objects.size(), 1u);
}

TEST_F(HostWriteBackTest, ThePastIsNotReadPastADaemonThatHasGone) {
  const std::shared_ptr<storage::ObjectStore> store = new_store();
  ASSERT_TRUE(write_now(*bucket_, "k", as_bytes(std::string("old"))).ok());
  ASSERT_TRUE(write_now(*bucket_, "other", as_bytes(std::string("old"))).ok());
  *is_down_ = true;
  ASSERT_TRUE(write_now(*store, "k", as_bytes(std::string("new"))).ok());
  stop();
  const Status refused = read(*store, "k").status();
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(message(refused)), ::testing::HasSubstr("waits in " + journal()));
  EXPECT_EQ(stat_now(*store, "k").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(list_all_now(*store, {}).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(*read(*store, "other"), "old");
  *is_down_ = false;
  ASSERT_TRUE(write_now(*store, "through", as_bytes(std::string("now"))).ok());
  EXPECT_EQ(*read(*bucket_, "through"), "now");

  start();
  EXPECT_EQ(*read(*new_store(), "k"), "new");
  wait_until_stored();
  EXPECT_EQ(*read(*bucket_, "k"), "new");
  EXPECT_EQ(server_->journal()->status().conflicts, 0u);
}

TEST_F(HostWriteBackTest, TheBacklogIsToldByPath) {
  *is_down_ = true;
  const std::shared_ptr<storage::ObjectStore> store = new_store();
  ASSERT_TRUE(write_now(*store, "a/k", as_bytes(std::string("one"))).ok());
  ASSERT_TRUE(write_now(*store, "b/k", as_bytes(std::string("two"))).ok());
  const std::shared_ptr<HostClient> client = *HostClient::connect(directory_ / "socket");
  EXPECT_THAT(*client->backlog(upstream_->uri_of("a"), false), ::testing::HasSubstr("\"objects\":1,"));
  EXPECT_THAT(*client->backlog("", true), ::testing::HasSubstr("\"objects\":2,"));
  EXPECT_THAT(*client->statistics(), ::testing::HasSubstr("\"objects\":2,\"off\":\"\","));
}

}  // namespace
}  // namespace forebay::cache
