// The driver of Google Cloud Storage against fake-gcs-server.

#include "forebay/storage/gs/gs_store.h"
#include "forebay/storage/stores/store_registry.h"

#include "forebay/storage/gs/gs_stores.h"
#include "forebay/storage/remote/metadata_client.h"
#include "forebay/storage/remote/remote_store.h"
#include "forebay/storage/testing/fake_gcs_server.h"
#include "forebay/storage/testing/object_store_conformance.h"

namespace forebay::storage {
namespace {

net::HttpClient& gs_client() {
  static auto* const client = new net::HttpClient({.stall_timeout_s = 600, .uses_proxy = false});
  return *client;
}

std::shared_ptr<GsConnection> connect_gs(const std::string& bucket, GsOptions options = {}) {
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  options.endpoint = FakeGcsServer::shared().endpoint();
  options.anonymous = true;
  return std::make_shared<GsConnection>(bucket, options, *gs_endpoint(options, nothing),
                                        *gs_token_source(options, nothing, metadata_client(), gs_client()),
                                        gs_client());
}

struct GsStoreFixture {
  static std::string obstacle() {
    return FakeGcsServer::program().empty() ? "fake-gcs-server is not installed" : "";
  }

  GsStoreFixture() {
    if (obstacle().empty()) {
      bucket = FakeGcsServer::shared().make_bucket();
      store = std::make_shared<GsStore>(connect_gs(bucket));
    }
  }

  std::string bucket;
  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_OBJECT_STORE(Gs, GsStoreFixture);

/// As the scheme opens it: with planned ranges, retries and hedged reads.
struct RemoteGsFixture {
  static std::string obstacle() { return GsStoreFixture::obstacle(); }

  RemoteGsFixture() {
    if (obstacle().empty()) {
      auto costs = std::make_shared<CostModel>();
      store = remote_store(
          std::make_shared<GsStore>(connect_gs(FakeGcsServer::shared().make_bucket()), costs), costs);
    }
  }

  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_OBJECT_STORE(RemoteGs, RemoteGsFixture);

class GsStoreTest : public ObjectStoreTestBase<GsStoreFixture> {
 protected:
  /// A store whose chunks are as small as they may be.
  std::shared_ptr<GsStore> small_chunks() const {
    return std::make_shared<GsStore>(connect_gs(fixture_.bucket, {.chunk_bytes = kUnit}));
  }
  static std::string numbered(size_t size_bytes) {
    std::string text(size_bytes, '\0');
    for (size_t i = 0; i < size_bytes; ++i) {
      text[i] = static_cast<char>(i * 31 + i / 4096);
    }
    return text;
  }

  static constexpr size_t kUnit = 256 << 10;
};

TEST_F(GsStoreTest, NamesMayHoldAnyText) {
  for (const char* key : {"a b", "100%", "%41", "q?x=1&y", "h#h", "\xc3\xa9", "a+b;c", "'\"<>|^`{}[]\\",
                          "~-_.", "a=b,c", "a\tb"}) {
    put(key, key);
    EXPECT_EQ(*get({.key = key}), key) << key;
    EXPECT_EQ(keys({.prefix = key}), std::vector<std::string>{key}) << key;
    EXPECT_TRUE(remove_now(store(), key).ok()) << key;
  }
}

TEST_F(GsStoreTest, KeysThatItCannotHoldAreRefused) {
  const std::string content = "x";
  for (const std::string& key : {std::string(), std::string(2000, 'k'), std::string("a\0b", 3),
                                 std::string("a\nb"), std::string("\xff")}) {
    EXPECT_EQ(write_now(store(), key, as_bytes(content)).status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(store().open_writer(key, {}).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST_F(GsStoreTest, ListingsAndStatsAgree) {
  put("k", "content");
  const ObjectStat stat = *stat_now(store(), "k");
  const ListPage page = *list_all_now(store(), {});
  ASSERT_EQ(page.objects.size(), 1u);
  EXPECT_EQ(page.objects[0].version, stat.version);
  EXPECT_EQ(page.objects[0].size_bytes, stat.size_bytes);
  EXPECT_EQ(page.objects[0].modified_ns, stat.modified_ns);
  EXPECT_GT(stat.modified_ns, 0);
}

TEST_F(GsStoreTest, LargeObjectsGoUpInChunks) {
  const std::string content = numbered(3 * kUnit + 12'345);
  const std::shared_ptr<GsStore> chunked = small_chunks();
  for (const size_t part_bytes :
       {size_t{100'000}, kUnit, kUnit + 1, 2 * kUnit + 5, content.size(), 3 * kUnit}) {
    const std::unique_ptr<ObjectWriter> writer = *chunked->open_writer("big", {});
    for (size_t at = 0; at < content.size(); at += part_bytes) {
      const Bytes part = as_bytes(content).subspan(at);
      ASSERT_TRUE(append_now(*writer, part.first(std::min(part_bytes, part.size()))).ok()) << part_bytes;
    }
    const Result<ObjectStat> stat = commit_now(*writer);
    ASSERT_TRUE(stat.ok()) << stat.status();
    EXPECT_EQ(stat->size_bytes, content.size());
    EXPECT_TRUE(*get({.key = "big"}) == content) << part_bytes;
  }
}

TEST_F(GsStoreTest, AnObjectOfWholeChunksEndsWithNone) {
  const std::string content = numbered(2 * kUnit);
  const std::unique_ptr<ObjectWriter> writer = *small_chunks()->open_writer("even", {});
  ASSERT_TRUE(append_now(*writer, as_bytes(content)).ok());
  const Result<ObjectStat> stat = commit_now(*writer);
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_TRUE(*get({.key = "even"}) == content);
}

TEST(GsScheme, AStoreIsSharedByABucketAndItsOptions) {
  const StoreRegistry registry;
  const StoreOptions options = {{"endpoint", "http://host"}, {"anonymous", "true"}};
  const ObjectAddress address = *registry.open(*parse_uri("gs://bucket/a/b%20c"), {.options = options});
  EXPECT_EQ(address.key, "a/b%20c");
  EXPECT_EQ(address.uri(), "gs://bucket/a/b%20c");
  EXPECT_EQ(registry.open(*parse_uri("gs://bucket"), {.options = options})->store, address.store);
  EXPECT_NE(registry.open(*parse_uri("gs://other"), {.options = options})->store, address.store);
  for (const char* wrong : {"gs://", "gs:///key", "gs://a b/key", "gs://UP/key"}) {
    EXPECT_EQ(registry.open(*parse_uri(wrong), {.options = options}).status().code(),
              StatusCode::kInvalidArgument)
        << wrong;
  }
}

TEST(GsScheme, TakesTheOptionsThatItSays) {
  const std::vector<StoreOptionSpec> options = *StoreRegistry().options_of("gs");
  EXPECT_EQ(options.size(), 7u);
  for (const StoreOptionSpec& option : options) {
    const bool is_number = option.name == "retry_for" || option.name.ends_with("_per_second");
    EXPECT_TRUE(parse_options("gs", gs_options(), {{option.name, is_number ? "100" : "true"}}).ok())
        << option.name;
    EXPECT_EQ(option.is_secret, option.name == "access_token");
  }
  EXPECT_EQ(parse_options("gs", gs_options(), {{"anonymous", "perhaps"}}).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::storage
