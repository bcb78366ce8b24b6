#include "forebay/storage/namespace/namespace_store.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "forebay/storage/testing/namespace_fixture.h"
#include "forebay/storage/testing/object_store_conformance.h"

namespace forebay::storage {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

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

class NamespaceStoreTest : public testing::Test, protected NamespaceFixture {
 protected:
  ObjectAddress resolve(const std::string& path) const {
    Result<ObjectAddress> address = registry->resolve(path);
    EXPECT_TRUE(address.ok()) << address.status();
    return address.ok() ? *std::move(address) : ObjectAddress{store, "none"};
  }
  void put(const std::string& path, const std::string& content = "x") const {
    const ObjectAddress address = resolve(path);
    const Result<ObjectStat> stat = write_now(*address.store, address.key, as_bytes(content));
    EXPECT_TRUE(stat.ok()) << stat.status();
  }
  std::string get(const std::string& path) const {
    const ObjectAddress address = resolve(path);
    const Result<ReadBytes> read = read_now(*address.store, {.key = address.key});
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? text_of(*read) : "";
  }
};

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
  const auto factory = [memory](const Uri& uri, const StoreOptions& options) -> Result<ObjectAddress> {
    return ObjectAddress{memory, options.at("region") + uri.path};
  };
  ASSERT_TRUE(registry->register_scheme("x", factory, {{"region", "", false}}).ok());
  mount({.path = "/data", .uri = "x://b/c", .options = {{"region", "north"}}});
  EXPECT_EQ(resolve("/data/k").key, "north/c/k");
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

class NamespaceListTest : public NamespaceStoreTest {
 protected:
  std::vector<std::string> keys(ListRequest request) const {
    std::vector<std::string> all;
    const size_t most = request.page_entries;
    const Status listed = list_pages_now(*store, std::move(request), [&](const ListPage& page) {
      EXPECT_TRUE(most == 0 || page.objects.size() + page.prefixes.size() <= most);
      std::vector<std::string> names = page.prefixes;
      for (const ObjectStat& object : page.objects) {
        names.push_back(object.key);
      }
      std::sort(names.begin(), names.end());
      EXPECT_TRUE(all.empty() || names.empty() || all.back() < names.front());
      all.insert(all.end(), names.begin(), names.end());
      return ok_status();
    });
    EXPECT_TRUE(listed.ok()) << listed;
    return all;
  }

  NamespaceListTest() {
    mount("/n", "mem://base");
    mount("/n/b", "mem://b");
    mount("/n/b/deep/er", "mem://deeper");
    mount("/n/z/only", "mem://only");
    for (const char* path :
         {"mem://base/a", "mem://base/b", "mem://base/b/hidden", "mem://base/b.txt", "mem://base/c/d",
          "mem://b/1", "mem://b/deep/2", "mem://b/deep/er/hidden", "mem://deeper/3", "mem://only/4"}) {
      put(path);
    }
  }
};

TEST_F(NamespaceListTest, MergesMountsIntoATree) {
  const std::vector<std::string> all = {"n/a",           "n/b.txt", "n/b/1",     "n/b/deep/2",
                                        "n/b/deep/er/3", "n/c/d",   "n/z/only/4"};
  for (const size_t page : {0, 1, 2, 3, 100}) {
    EXPECT_EQ(keys({.prefix = "n/", .page_entries = page}), all) << page;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<std::string> rest(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end());
    EXPECT_EQ(keys({.prefix = "n/", .start_after = all[i]}), rest) << all[i];
  }
  EXPECT_THAT(keys({.prefix = "n/b"}), ElementsAre("n/b.txt", "n/b/1", "n/b/deep/2", "n/b/deep/er/3"));
  EXPECT_THAT(keys({.prefix = "n/b/deep/"}), ElementsAre("n/b/deep/2", "n/b/deep/er/3"));
  EXPECT_THAT(keys({.prefix = "n/b/deep/er/"}), ElementsAre("n/b/deep/er/3"));
}

TEST_F(NamespaceListTest, ShowsMountPointsAsFolders) {
  const std::vector<std::string> all = {"n/a", "n/b.txt", "n/b/", "n/c/", "n/z/"};
  for (const size_t page : {0, 1, 2, 100}) {
    EXPECT_EQ(keys({.prefix = "n/", .delimiter = "/", .page_entries = page}), all) << page;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<std::string> rest(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end());
    EXPECT_EQ(keys({.prefix = "n/", .delimiter = "/", .start_after = all[i]}), rest) << all[i];
  }
  EXPECT_THAT(keys({.prefix = "n/b", .delimiter = "/"}), ElementsAre("n/b.txt", "n/b/"));
  EXPECT_THAT(keys({.prefix = "n/b/", .delimiter = "/"}), ElementsAre("n/b/1", "n/b/deep/"));
  EXPECT_THAT(keys({.prefix = "n/b/deep/", .delimiter = "/"}), ElementsAre("n/b/deep/2", "n/b/deep/er/"));
  EXPECT_THAT(keys({.prefix = "n/z/", .delimiter = "/"}), ElementsAre("n/z/only/"));
}

TEST_F(NamespaceListTest, ShowsMountsAboveTheFileSystem) {
  std::filesystem::create_directories(directory / "real/sub");
  mount(directory / "real/mnt/x", "mem://only");
  put(directory / "real/file");
  const std::string root = (directory / "real/").substr(1);
  EXPECT_EQ(keys({.prefix = root, .delimiter = "/"}),
            (std::vector<std::string>{root + "file", root + "mnt/", root + "sub/"}));
  EXPECT_EQ(keys({.prefix = root}), (std::vector<std::string>{root + "file", root + "mnt/x/4"}));
}

// Pages come on other threads, so the listing goes on from there.
TEST_F(NamespaceStoreTest, ListingsOfStoresWithThreadsAreMerged) {
  register_threads();
  mount("/n", "threads://base");
  mount("/n/b", "threads://b");
  std::vector<std::string> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(fmt::format("n/{}/{:02}", i % 3 == 1 ? "b" : i % 3 == 0 ? "a" : "c", i));
    put("/" + all.back());
  }
  std::sort(all.begin(), all.end());
  for (const size_t entries : {1, 3, 1000}) {
    const Result<ListPage> page = list_all_now(*store, {.prefix = "n/", .page_entries = entries});
    ASSERT_TRUE(page.ok()) << page.status();
    std::vector<std::string> keys;
    for (const ObjectStat& object : page->objects) {
      keys.push_back(object.key);
    }
    EXPECT_EQ(keys, all) << entries;
  }
}

TEST_F(NamespaceListTest, ABrokenMountEndsTheListingByName) {
  mount("/n/y", "nosuch://bucket");
  const Status status = list_all_now(*store, {.prefix = "n/"}).status();
  EXPECT_THAT(std::string(message(status)), HasSubstr("/n/y"));
  EXPECT_THAT(keys({.prefix = "n/", .delimiter = "/"}), testing::Contains("n/y/"));  // its name is known
}

}  // namespace
}  // namespace forebay::storage
