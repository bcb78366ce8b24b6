#include "forebay/storage/namespace/namespace_store.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "forebay/base/clock.h"
#include "forebay/storage/http/http_stores.h"
#include "forebay/storage/testing/namespace_fixture.h"
#include "forebay/storage/testing/object_store_conformance.h"

namespace forebay::storage {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct MemoryMountFixture : NamespaceFixture {
  MemoryMountFixture() { mount("/", "mem://"); }
};
FOREBAY_TEST_OBJECT_STORE(NamespaceOverMemory, MemoryMountFixture);

struct LocalMountFixture : NamespaceFixture {
  LocalMountFixture() {
    std::filesystem::create_directory(directory / "objects");
    mount("/", "file://" + (directory / "objects"));
  }
};
FOREBAY_TEST_OBJECT_STORE(NamespaceOverFiles, LocalMountFixture);

struct ThreadsMountFixture : NamespaceFixture {
  ThreadsMountFixture() {
    register_threads();
    mount("/", "threads://");
  }
};
FOREBAY_TEST_OBJECT_STORE(NamespaceOverThreads, ThreadsMountFixture);

using NamespaceStoreTest = NamespaceTest;

TEST_F(NamespaceStoreTest, PathsAreAskedOfTheTableThenOfTheFileSystem) {
  put(directory / "plain", "on disk");
  EXPECT_EQ(resolve(directory / "plain").store, LocalStore::process_store());
  mount(directory / "data", "mem://bucket/data");
  put("mem://bucket/data/a/b", "in memory");
  EXPECT_EQ(get(directory / "data/a/b"), "in memory");
  EXPECT_EQ(get(directory / "./x/..//data/a/b"), "in memory");
  EXPECT_EQ(get("forebay://" + (directory / "data/a/b")), "in memory");
  EXPECT_EQ(resolve(directory / "data/a/b").uri(), "mem://bucket/data/a/b");
  EXPECT_EQ(get(directory / "plain"), "on disk");
  EXPECT_EQ(get("forebay://" + (directory / "plain")), "on disk");
  EXPECT_EQ(resolve("file://" + (directory / "data/a/b")).store, LocalStore::process_store());
}

TEST_F(NamespaceStoreTest, RelativePathsBeginAtTheCurrentDirectory) {
  mount((std::filesystem::current_path() / "no such/data").string(), "mem://bucket");
  put("mem://bucket/k", "in memory");
  EXPECT_EQ(get("no such/data/k"), "in memory");
  EXPECT_EQ(get("./no such/other/../data/k"), "in memory");
}

TEST_F(NamespaceStoreTest, MountsMayLieWithinMounts) {
  mount("/data", "mem://outer");
  mount("/data/hot", "mem://inner");
  put("mem://outer/a", "outer");
  put("mem://outer/hot/a", "hidden");
  put("mem://inner/a", "inner");
  EXPECT_EQ(get("/data/a"), "outer");
  EXPECT_EQ(get("/data/hot/a"), "inner");
  ASSERT_TRUE(database->remove("/data/hot").ok());
  EXPECT_EQ(get("/data/hot/a"), "hidden");
}

TEST_F(NamespaceStoreTest, AMountKeepsItsStore) {
  mount("/data", "mem://outer");
  const std::shared_ptr<ObjectStore> before = resolve("/data/a").store;
  mount("/other", "mem://other");
  EXPECT_EQ(resolve("/data/b").store, before);
}

TEST_F(NamespaceStoreTest, TheWayUpIsNoWayOut) {
  mount("/data", "file://" + (directory / "data"));
  put(directory / "secret", "secret");
  EXPECT_EQ(registry->resolve("forebay:///data/../secret").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(read_now(*store, {.key = "data/../secret"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(list_now(*store, {.prefix = "data/../"}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(stat_now(*store, std::string("a\0b", 3)).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(NamespaceStoreTest, NamesMayHoldAnyBytes) {
  mount("/data/\xff \n", "mem://bucket");
  put("/data/\xff \n/\xfe?", "here");
  EXPECT_EQ(get("mem://bucket/\xfe?"), "here");
  EXPECT_EQ(get("forebay:///data/\xff \n/\xfe?"), "here");
}

TEST_F(NamespaceStoreTest, ReadOnlyMountsRefuseChangesByName) {
  put("mem://bucket/k", "kept");
  mount({.path = "/data", .uri = "mem://bucket", .read_only = true});
  const ObjectAddress address = resolve("/data/k");
  const std::string content = "new";
  const auto refused = [](const Status& status) {
    EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
    EXPECT_THAT(std::string(message(status)),
                AllOf(HasSubstr("mem://bucket/k"), HasSubstr("/data is mounted read-only")));
  };
  refused(write_now(*address.store, address.key, as_bytes(content)).status());
  refused(address.store->open_writer(address.key, {}).status());
  refused(remove_now(*address.store, address.key));
  refused(rename_now(*address.store, {address.key, address.key + "2"}).status());
  refused(copy_now(*address.store, {address.key, address.key}).status());
  EXPECT_EQ(get("/data/k"), "kept");
}

TEST_F(NamespaceStoreTest, ImmutableMountsOnlyGrow) {
  mount({.path = "/data", .uri = "mem://bucket", .immutable = true});
  put("/data/k", "first");
  const ObjectAddress address = resolve("/data/k");
  const std::string content = "second";
  EXPECT_EQ(write_now(*address.store, address.key, as_bytes(content)).status().code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(remove_now(*address.store, address.key).code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(rename_now(*address.store, {address.key, "bucket/other"}).status().code(),
            StatusCode::kPermissionDenied);
  EXPECT_EQ(get("/data/k"), "first");
}

TEST_F(NamespaceStoreTest, NothingMovesBetweenStores) {
  mount("/a", "mem://a");
  mount("/b", "file://" + (directory / "b"));
  put("/a/k", "content");
  const Status status = rename_now(*store, {"a/k", "b/k"}).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(status)), AllOf(HasSubstr("mem://a/k"), HasSubstr("use cp")));
  EXPECT_EQ(copy_now(*store, {"a/k", "b/k"}).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(get("/a/k"), "content");
  const Result<ObjectStat> moved = rename_now(*store, {"a/k", "a/l"});
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(moved->key, "a/l");
}

TEST_F(NamespaceStoreTest, MountPointsAreNeitherRemovedNorRenamed) {
  mount("/data/x", "mem://bucket");
  for (const char* key : {"data/x", "data/x/", "data/"}) {
    EXPECT_EQ(remove_now(*store, key).code(), StatusCode::kFailedPrecondition) << key;
    EXPECT_EQ(rename_now(*store, {key, "data/y"}).status().code(), StatusCode::kFailedPrecondition) << key;
  }
  for (const char* name : {"/data/x", "/data/x/", "/data", "forebay:///data", "/"}) {
    EXPECT_EQ(registry->check_no_mount(name, "removed").code(), StatusCode::kFailedPrecondition) << name;
  }
  for (const char* name : {"/data/x/below", "/data/y", "file:///data", "mem://bucket"}) {
    EXPECT_TRUE(registry->check_no_mount(name, "removed").ok()) << name;
  }
}

TEST_F(NamespaceStoreTest, AMountThatCannotBeOpenedIsNamed) {
  mount("/data", "nosuch://bucket");
  const Status status = registry->resolve("/data/k").status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(message(status)), AllOf(HasSubstr("/data"), HasSubstr("'nosuch'")));
  EXPECT_TRUE(registry->resolve("/elsewhere/k").ok());
  ASSERT_TRUE(database->remove("/data").ok());
  mount({.path = "/data", .uri = "mem://bucket", .options = {{"colour", "red"}}});
  EXPECT_THAT(std::string(message(registry->resolve("/data/k").status())), HasSubstr("'colour'"));
}

TEST_F(NamespaceStoreTest, OptionsReachTheDriver) {
  auto memory = std::make_shared<MemoryStore>();
  const auto factory = [memory](const Uri& uri, const StoreUse& use) -> Result<ObjectAddress> {
    return ObjectAddress{memory, use.options.at("region") + uri.path};
  };
  ASSERT_TRUE(registry->register_scheme("x", factory, {{"region", "", false}}).ok());
  mount({.path = "/data", .uri = "x://b/c", .options = {{"region", "north"}}});
  EXPECT_EQ(resolve("/data/k").key, "north/c/k");
}

// After a read of a day's bytes the next one has to wait, longer than its deadline.
TEST_F(NamespaceStoreTest, LimitsOfAMountAreKept) {
  put("mem://bucket/k", std::string(100'000, 'x'));
  mount({.path = "/data", .uri = "mem://bucket", .bytes_per_s = 1});
  const ObjectAddress address = resolve("/data/k");
  EXPECT_TRUE(read_now(*address.store, {.key = address.key}).ok());
  const CallContext soon = {.deadline_ns = steady_clock().now_ns() + 100'000'000};
  EXPECT_EQ(read_now(*address.store, {.key = address.key}, soon).status().code(),
            StatusCode::kDeadlineExceeded);
}

// So a daemon that opens the same store keeps them, too; the lower one counts.
TEST_F(NamespaceStoreTest, LimitsAreOptionsOfDriversThatKnowThem) {
  std::vector<StoreOptions> opened;
  const auto factory = [&](const Uri& uri, const StoreUse& use) -> Result<ObjectAddress> {
    opened.push_back(use.options);
    return ObjectAddress{std::make_shared<MemoryStore>(), uri.path};
  };
  ASSERT_TRUE(registry->register_scheme("x", factory, specs_of(http_scheme().options)).ok());
  mount({.path = "/none", .uri = "x://b"});
  mount({.path = "/both", .uri = "x://b", .bytes_per_s = 1'000'000, .requests_per_s = 50});
  mount({.path = "/low",
         .uri = "x://b",
         .options = {{"requests_per_second", "7"}, {"bytes_per_second", "wrong"}},
         .bytes_per_s = 100,
         .requests_per_s = 50});
  for (const char* path : {"/none/k", "/both/k", "/low/k"}) {
    resolve(path);
  }
  EXPECT_THAT(opened,
              ElementsAre(StoreOptions{},
                          StoreOptions{{"requests_per_second", "50"}, {"bytes_per_second", "1000000"}},
                          StoreOptions{{"requests_per_second", "7"}, {"bytes_per_second", "wrong"}}));
}

// As remote stores are told apart by their place, files are by their mount.
TEST_F(NamespaceStoreTest, FilesOfTwoMountsDoNotShareALimit) {
  const auto shared_as = [&](const std::string& path, uint64_t bytes_per_s, StoreOptions options = {}) {
    const MountEntry entry = {
        .path = path, .uri = "file:///data", .options = std::move(options), .bytes_per_s = bytes_per_s};
    return use_of(entry, *registry).store.options["limits_shared_as"];
  };
  EXPECT_NE(shared_as("/a", 1), shared_as("/b", 1));
  EXPECT_EQ(shared_as("/a", 1), shared_as("/a", 2));
  EXPECT_EQ(shared_as("/a", 1, {{"limits_shared_as", "disk"}}), "disk");
  EXPECT_EQ(shared_as("/a", 0), "");
}

TEST_F(NamespaceStoreTest, DecoratorsHearOfImmutableMounts) {
  mount({.path = "/fixed", .uri = "mem://bucket", .immutable = true});
  mount({.path = "/fixed-too", .uri = "mem://bucket", .immutable = true});
  mount("/other", "mem://bucket");
  std::vector<bool> heard;
  registry->decorate([&](const std::string&, const StoreUse& use, std::shared_ptr<ObjectStore> store) {
    heard.push_back(use.is_immutable);
    return store;
  });
  for (const char* path : {"/fixed/k", "/fixed-too/k", "/other/k", "/fixed/k"}) {
    resolve(path);
  }
  EXPECT_THAT(heard, ElementsAre(true, false));
}

// As a cache is, which has to see what is limited behind it.
TEST_F(NamespaceStoreTest, DecoratorsArePutBeforeTheLimits) {
  put("mem://bucket/k", std::string(100'000, 'x'));
  // The host keeps the limit of a mount; this one is new.
  const std::string path = "/" + std::to_string(steady_clock().now_ns());
  mount({.path = path, .uri = "mem://bucket", .bytes_per_s = 1});
  const std::shared_ptr<ObjectStore> plain = resolve(path + "/k").store;
  std::shared_ptr<ObjectStore> limited;
  auto front = std::make_shared<MemoryStore>();
  registry->decorate([&](const std::string&, const StoreUse&, std::shared_ptr<ObjectStore> store) {
    limited = std::move(store);
    return front;
  });
  const std::string only = "only here";
  ASSERT_TRUE(write_now(*front, "bucket/only", as_bytes(only)).ok());
  EXPECT_EQ(get(path + "/only"), only);
  ASSERT_NE(limited, nullptr);
  EXPECT_TRUE(read_now(*limited, {.key = "bucket/k"}).ok());
  const CallContext soon = {.deadline_ns = steady_clock().now_ns() + 100'000'000};
  EXPECT_EQ(read_now(*limited, {.key = "bucket/k"}, soon).status().code(), StatusCode::kDeadlineExceeded);
  registry->decorate({});
  const CallContext later = {.deadline_ns = steady_clock().now_ns() + 100'000'000};
  EXPECT_FALSE(stat_now(*resolve(path + "/only").store, "bucket/only", later).ok());
  // Who has it keeps it, and its limit, which is the mount's.
  EXPECT_EQ(stat_now(*plain, "bucket/k", {.deadline_ns = 1}).status().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(NamespaceStoreTest, ManyCallsFindTheirMounts) {
  mount("/a", "mem://a");
  mount("/b", "mem://b");
  put("/a/k", "one");
  put("/b/k", "three");
  const std::vector<Result<ObjectStat>> stats = stat_many_now(*store, {"b/k", "a/none", "a/k"});
  EXPECT_EQ(stats[0]->key, "b/k");
  EXPECT_EQ(stats[0]->size_bytes, 5u);
  EXPECT_EQ(stats[1].status().code(), StatusCode::kNotFound);
  EXPECT_EQ(stats[2]->size_bytes, 3u);
  const std::vector<Result<ReadBytes>> reads = read_many_now(*store, {{.key = "b/k"}, {.key = "a/k"}});
  EXPECT_EQ(text_of(*reads[0]) + text_of(*reads[1]), "threeone");
}

}  // namespace
}  // namespace forebay::storage
