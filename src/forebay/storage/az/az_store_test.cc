// The driver of Azure's blobs against Azurite.

#include "forebay/storage/az/az_store.h"
#include "forebay/storage/stores/store_registry.h"

#include "forebay/storage/az/az_stores.h"
#include "forebay/storage/remote/remote_store.h"
#include "forebay/storage/testing/azurite_server.h"
#include "forebay/storage/testing/object_store_conformance.h"

namespace forebay::storage {
namespace {

net::HttpClient& az_client() {
  static auto* const client = new net::HttpClient({.stall_timeout_s = 600, .uses_proxy = false});
  return *client;
}

std::shared_ptr<AzConnection> connect_az(const std::string& container, AzOptions options = {}) {
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  options.account = AzuriteServer::kAccount;
  options.account_key = AzuriteServer::kKey;
  options.endpoint = AzuriteServer::shared().endpoint();
  return std::make_shared<AzConnection>("az://" + container, container, options,
                                        *configure_az(options, nothing), az_client());
}

struct AzStoreFixture {
  static std::string obstacle() { return AzuriteServer::program().empty() ? "azurite is not installed" : ""; }

  AzStoreFixture() {
    if (obstacle().empty()) {
      container = AzuriteServer::shared().make_container();
      store = std::make_shared<AzStore>(connect_az(container));
    }
  }

  std::string container;
  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_OBJECT_STORE(Az, AzStoreFixture);

/// As the scheme opens it: with planned ranges, retries and hedged reads.
struct RemoteAzFixture {
  static std::string obstacle() { return AzStoreFixture::obstacle(); }

  RemoteAzFixture() {
    if (obstacle().empty()) {
      auto costs = std::make_shared<CostModel>();
      store = remote_store(
          std::make_shared<AzStore>(connect_az(AzuriteServer::shared().make_container()), costs), costs);
    }
  }

  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_OBJECT_STORE(RemoteAz, RemoteAzFixture);

class AzStoreTest : public ObjectStoreTestBase<AzStoreFixture> {
 protected:
  static std::string numbered(size_t size_bytes) {
    std::string text(size_bytes, '\0');
    for (size_t i = 0; i < size_bytes; ++i) {
      text[i] = static_cast<char>(i * 31 + i / 4096);
    }
    return text;
  }
};

TEST_F(AzStoreTest, NamesMayHoldAnyText) {
  for (const char* key : {"a b", "100%", "%41", "q?x=1&y", "h#h", "\xc3\xa9", "a+b;c", "'\"<>|^`{}[]", "~-_",
                          "a=b,c", "dir/a b/c"}) {
    put(key, key);
    EXPECT_EQ(*get({.key = key}), key) << key;
    EXPECT_EQ(keys({.prefix = key}), std::vector<std::string>{key}) << key;
    EXPECT_TRUE(remove_now(store(), key).ok()) << key;
  }
}

TEST_F(AzStoreTest, KeysThatItCannotHoldAreRefused) {
  const std::string content = "x";
  for (const std::string& key :
       {std::string(), std::string(4000, 'k'), std::string("a\0b", 3), std::string("\xff")}) {
    EXPECT_EQ(write_now(store(), key, as_bytes(content)).status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(store().open_writer(key, {}).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST_F(AzStoreTest, ListingsAndStatsAgree) {
  put("k", "content");
  const ObjectStat stat = *stat_now(store(), "k");
  const ListPage page = *list_all_now(store(), {});
  ASSERT_EQ(page.objects.size(), 1u);
  EXPECT_EQ(page.objects[0].version, stat.version);
  EXPECT_EQ(page.objects[0].size_bytes, stat.size_bytes);
  EXPECT_EQ(page.objects[0].modified_ns, stat.modified_ns);
  EXPECT_GT(stat.modified_ns, 0);
}

TEST_F(AzStoreTest, LargeObjectsGoUpInBlocks) {
  const std::string content = numbered(1'000'003);
  const AzStore small_blocks(connect_az(
      fixture_.container, {.part_bytes = 100'000, .parts_in_flight = 3, .largest_put_bytes = 200'000}));
  for (const size_t part_bytes : {size_t{64'000}, size_t{100'000}, size_t{333'333}, content.size()}) {
    const std::unique_ptr<ObjectWriter> writer =
        *std::make_shared<AzStore>(small_blocks)->open_writer("big", {});
    for (size_t at = 0; at < content.size(); at += part_bytes) {
      const Bytes part = as_bytes(content).subspan(at);
      ASSERT_TRUE(append_now(*writer, part.first(std::min(part_bytes, part.size()))).ok()) << part_bytes;
    }
    const Result<ObjectStat> stat = commit_now(*writer);
    ASSERT_TRUE(stat.ok()) << stat.status();
    EXPECT_EQ(stat->size_bytes, content.size());
    EXPECT_TRUE(*get({.key = "big", .if_version = stat->version}) == content) << part_bytes;
  }
}

TEST_F(AzStoreTest, AWrongKeyIsRefusedWithoutBeingShown) {
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  const AzOptions options = {.account = AzuriteServer::kAccount,
                             .endpoint = AzuriteServer::shared().endpoint(),
                             .account_key = "d3Jvbmcga2V5"};
  const AzStore stranger(std::make_shared<AzConnection>("az://" + fixture_.container, fixture_.container,
                                                        options, *configure_az(options, nothing),
                                                        az_client()));
  const Status status = stat_now(*std::make_shared<AzStore>(stranger), "k").status();
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied) << status;
  EXPECT_EQ(message(status).find("d3Jvbmcga2V5"), std::string_view::npos) << status;
}

TEST(AzScheme, AStoreIsSharedByAContainerAndItsOptions) {
  const StoreRegistry registry;
  const StoreOptions options = {{"account", "me"}, {"anonymous", "true"}};
  const ObjectAddress address = *registry.open(*parse_uri("az://container/a/b%20c"), {.options = options});
  EXPECT_EQ(address.key, "a/b%20c");
  EXPECT_EQ(address.uri(), "az://container/a/b%20c");
  EXPECT_EQ(registry.open(*parse_uri("az://container"), {.options = options})->store, address.store);
  EXPECT_NE(registry.open(*parse_uri("az://other"), {.options = options})->store, address.store);
  for (const char* wrong : {"az://", "az:///key", "az://a b/key", "az://UP/key"}) {
    EXPECT_EQ(registry.open(*parse_uri(wrong), {.options = options}).status().code(),
              StatusCode::kInvalidArgument)
        << wrong;
  }
}

TEST(AzScheme, TakesTheOptionsThatItSays) {
  const std::vector<StoreOptionSpec> options = *StoreRegistry().options_of("az");
  EXPECT_EQ(options.size(), 9u);
  for (const StoreOptionSpec& option : options) {
    const bool is_number = option.name == "retry_for" || option.name.ends_with("_per_second");
    EXPECT_TRUE(parse_options("az", az_options(), {{option.name, is_number ? "100" : "true"}}).ok())
        << option.name;
    const bool hides =
        option.name == "account_key" || option.name == "sas_token" || option.name == "connection_string";
    EXPECT_EQ(option.is_secret, hides) << option.name;
  }
  EXPECT_EQ(parse_options("az", az_options(), {{"anonymous", "perhaps"}}).status().code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::storage
