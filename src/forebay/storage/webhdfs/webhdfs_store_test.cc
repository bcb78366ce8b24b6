// The driver of HDFS against Hadoop's own small cluster.

#include "forebay/storage/webhdfs/webhdfs_store.h"
#include "forebay/storage/stores/store_registry.h"

#include <cstdlib>

#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/storage/remote/remote_store.h"
#include "forebay/storage/testing/hdfs_server.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/webhdfs/webhdfs_stores.h"

namespace forebay::storage {
namespace {

net::HttpClient& hdfs_client() {
  static auto* const client = new net::HttpClient({.stall_timeout_s = 600, .uses_proxy = false});
  return *client;
}

/// `root`: of all keys.
std::shared_ptr<WebhdfsConnection> connect_hdfs(const std::string& root, WebhdfsOptions options = {}) {
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  options.user = HdfsServer::kUser;
  WebhdfsConfiguration configuration =
      *configure_webhdfs("webhdfs", HdfsServer::shared().authority(), options, nothing);
  configuration.root = root;
  return std::make_shared<WebhdfsConnection>(std::move(configuration), options, hdfs_client());
}

/// What is in the way of tests for which Hadoop is started. That takes long, so that most wait for the night.
std::string obstacle_to_hdfs(bool is_for_every_change) {
  if (!is_for_every_change && !is_thorough() && std::getenv("FOREBAY_NIGHTLY") == nullptr) {
    return "it takes long, and FOREBAY_NIGHTLY is not set";
  }
  return HdfsServer::program().empty() ? "hadoop is not installed" : "";
}

struct WebhdfsFixture {
  static std::string obstacle() { return obstacle_to_hdfs(!kIsSanitized); }

  WebhdfsFixture() {
    if (obstacle().empty()) {
      root = HdfsServer::shared().make_root();
      store = std::make_shared<WebhdfsStore>(connect_hdfs(root));
    }
  }

  std::string root;
  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_OBJECT_STORE(Webhdfs, WebhdfsFixture);

/// As the scheme opens it: with planned ranges, retries and hedged reads.
struct RemoteWebhdfsFixture {
  static std::string obstacle() { return obstacle_to_hdfs(false); }

  RemoteWebhdfsFixture() {
    if (obstacle().empty()) {
      auto costs = std::make_shared<CostModel>();
      store = remote_store(
          std::make_shared<WebhdfsStore>(connect_hdfs(HdfsServer::shared().make_root()), costs), costs);
    }
  }

  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_OBJECT_STORE(RemoteWebhdfs, RemoteWebhdfsFixture);

class WebhdfsStoreTest : public ObjectStoreTestBase<WebhdfsFixture> {
 protected:
  static std::string numbered(size_t size_bytes) {
    std::string text(size_bytes, '\0');
    for (size_t i = 0; i < size_bytes; ++i) {
      text[i] = static_cast<char>(i * 31 + i / 4096);
    }
    return text;
  }
};

TEST_F(WebhdfsStoreTest, NamesMayHoldAnyText) {
  for (const char* key : {"a b", "100%", "%41", "q?x=1&y", "h#h", "\xc3\xa9", "a+b;c", "'\"<>|^`{}[]", "~-_",
                          "a=b,c", "a\\b", "a\nb", "dir/a b/c"}) {
    put(key, key);
    EXPECT_EQ(*get({.key = key}), key) << key;
    EXPECT_EQ(keys({.prefix = key}), std::vector<std::string>{key}) << key;
    EXPECT_TRUE(remove_now(store(), key).ok()) << key;
  }
}

TEST_F(WebhdfsStoreTest, ListingsAreSortedByBytesWhateverHdfsSortsBy) {
  // HDFS itself sorts bytes above 127 first, and folders without their slash.
  const std::vector<std::string> sorted = {"b!", "b-1", "b/1",      "b/\xc3\xa9",
                                           "b0", "c",   "\xc3\xa9", "\xf0\x9f\x98\x80"};
  for (const std::string& key : sorted) {
    put(key, key);
  }
  EXPECT_EQ(keys({}), sorted);
}

TEST_F(WebhdfsStoreTest, KeysThatItCannotHoldAreRefused) {
  const std::string content = "x";
  for (const std::string& key :
       {std::string(), std::string("a/"), std::string("a//b"), std::string("/a"), std::string("a/../b"),
        std::string("./a"), std::string(9000, 'k'), std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_EQ(write_now(store(), key, as_bytes(content)).status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(store().open_writer(key, {}).status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(stat_now(store(), "a/../b").status().code(), StatusCode::kInvalidArgument);
}

TEST_F(WebhdfsStoreTest, ListingsAndStatsAgree) {
  const ObjectStat written = put("k", "content");
  const ObjectStat stat = *stat_now(store(), "k");
  const ListPage page = *list_all_now(store(), {});
  ASSERT_EQ(page.objects.size(), 1u);
  EXPECT_EQ(page.objects[0].version, stat.version);
  EXPECT_EQ(page.objects[0].size_bytes, stat.size_bytes);
  EXPECT_EQ(page.objects[0].modified_ns, stat.modified_ns);
  EXPECT_EQ(written.version, stat.version);
  EXPECT_EQ(written.modified_ns, stat.modified_ns);
  EXPECT_GT(stat.modified_ns, 0);
}

TEST_F(WebhdfsStoreTest, FilesAndFoldersAreToldApart) {
  put("d/k", "x");
  EXPECT_EQ(stat_now(store(), "d").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(stat_now(store(), "d/k/").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(stat_now(store(), "d/k/x").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(read_error({.key = "d"}), StatusCode::kNotFound);
  for (const char* folder : {"d/k/", "d/k/x/", "none/"}) {
    EXPECT_EQ(keys({.prefix = folder}), std::vector<std::string>()) << folder;
  }
  EXPECT_TRUE(find_entry(store(), "d")->is_folder);
  EXPECT_TRUE(find_entry(store(), "")->is_folder);
  remove("d/k");
  EXPECT_EQ(remove_now(store(), "d").code(), StatusCode::kNotFound);  // an empty folder is no file
  EXPECT_TRUE(remove_now(store(), "d/").ok());
  const std::string content = "x";
  put("file", content);
  EXPECT_FALSE(write_now(store(), "file/k", as_bytes(content)).ok());
  EXPECT_EQ(make_directory_now(store(), "file/d/").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(keys({}), std::vector<std::string>{"file"});
}

TEST_F(WebhdfsStoreTest, AFolderIsNotReplacedByAFile) {
  put("d/k", "x");
  const std::string content = "y";
  EXPECT_FALSE(write_now(store(), "d", as_bytes(content)).ok());
  put("file", "y");
  EXPECT_FALSE(rename_now(store(), {"file", "d"}).ok());
  EXPECT_FALSE(rename_now(store(), {"d/", "file"}).ok());
  EXPECT_EQ(rename_now(store(), {"file", "file"})->key, "file");
  EXPECT_EQ(keys({}), (std::vector<std::string>{"d/k", "file"}));
}

TEST_F(WebhdfsStoreTest, LargeObjectsAreAppendedInParts) {
  const std::string content = numbered(1'000'003);
  const auto small_parts =
      std::make_shared<WebhdfsStore>(connect_hdfs(fixture_.root, {.part_bytes = 100'000}));
  for (const size_t part_bytes : {size_t{64'000}, size_t{333'333}, content.size()}) {
    const std::unique_ptr<ObjectWriter> writer = *small_parts->open_writer("big", {});
    for (size_t at = 0; at < content.size(); at += part_bytes) {
      const Bytes part = as_bytes(content).subspan(at);
      ASSERT_TRUE(append_now(*writer, part.first(std::min(part_bytes, part.size()))).ok()) << part_bytes;
    }
    const Result<ObjectStat> stat = commit_now(*writer);
    ASSERT_TRUE(stat.ok()) << stat.status();
    EXPECT_EQ(stat->size_bytes, content.size());
    EXPECT_TRUE(*get({.key = "big", .if_version = stat->version}) == content) << part_bytes;
    EXPECT_EQ(keys({}), std::vector<std::string>{"big"});
  }
}

TEST(WebhdfsScheme, AStoreIsSharedByHostsAndOptions) {
  const StoreRegistry registry;
  const StoreOptions options = {{"user", "me"}};
  const ObjectAddress address = *registry.open(*parse_uri("webhdfs://host:1/a/b%20c"), {.options = options});
  EXPECT_EQ(address.key, "a/b%20c");
  EXPECT_EQ(address.uri(), "webhdfs://host:1/a/b%20c");
  EXPECT_EQ(registry.open(*parse_uri("webhdfs://host:1"), {.options = options})->store, address.store);
  EXPECT_NE(registry.open(*parse_uri("webhdfs://host:2"), {.options = options})->store, address.store);
  EXPECT_NE(registry.open(*parse_uri("swebhdfs://host:1"), {.options = options})->store, address.store);
  EXPECT_NE(registry.open(*parse_uri("webhdfs://host:1"), {.options = {{"user", "you"}}})->store,
            address.store);
  const Status secret =
      registry.open(*parse_uri("webhdfs://me:hidden@host/a"), {.options = options}).status();
  EXPECT_EQ(secret.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(message(secret).find("hidden"), std::string_view::npos) << secret;
  EXPECT_EQ(registry.open(*parse_uri("webhdfs:///a"), {.options = options}).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::storage
