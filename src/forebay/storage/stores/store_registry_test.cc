#include "forebay/storage/stores/store_registry.h"

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/remote/open_stores.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

TEST(Uri, PathsAndUris) {
  EXPECT_EQ(parse_uri("a b/c%20d")->path, "a b/c%20d");
  EXPECT_EQ(parse_uri("/x")->scheme, "file");
  EXPECT_EQ(parse_uri("file:///a%20b")->path, "/a b");
  EXPECT_EQ(parse_uri("FILE://localhost/a")->path, "/a");
  const Uri bucket = *parse_uri("S3://Bucket/k%20e/y");
  EXPECT_EQ(bucket.scheme, "s3");
  EXPECT_EQ(bucket.authority, "Bucket");
  EXPECT_EQ(bucket.path, "/k%20e/y");
  EXPECT_EQ(bucket.to_string(), "s3://Bucket/k%20e/y");
  EXPECT_EQ(parse_uri("1a://x")->path, "1a://x");
}

TEST(Uri, RefusesWhatIsNone) {
  for (const char* text : {"", "file:///a%2", "file:///a%zz", "file://host/a", "file://"}) {
    EXPECT_EQ(parse_uri(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
  EXPECT_FALSE(parse_uri(std::string_view("a\0b", 3)).ok());
  EXPECT_FALSE(parse_uri("file:///a%00b").ok());
}

TEST(Uri, MessagesHoldNoSecrets) {
  EXPECT_EQ(uri_for_message("HTTPS://user:secret@host/a?signature=secret"), "HTTPS://host/a");
  for (const std::string scheme : {"s3", "gs", "az"}) {
    EXPECT_EQ(uri_for_message(scheme + "://id:secret@bucket/key"), scheme + "://***");
  }
  EXPECT_EQ(uri_for_message("az://container/a?sv=2024&sig=secret"), "az://container/a");
  for (const char* name : {"/a?b@c", "a?b", "s3://bucket/a?b#c", "mem://a@b?c", ""}) {
    EXPECT_EQ(uri_for_message(name), name);
  }
}

TEST(Uri, NamesFromElsewhereStayBelow) {
  for (const char* name : {"a", "a/b", "..a/b..", "...", "a b", ".a"}) {
    EXPECT_TRUE(stays_below(name)) << name;
  }
  for (const char* name :
       {"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/../b", "a/./b", "s3://b/k", "a/s3://b"}) {
    EXPECT_FALSE(stays_below(name)) << name;
  }
  EXPECT_FALSE(stays_below(std::string("a\0b", 3)));
}

TEST(Uri, Joins) {
  EXPECT_EQ(join_path("a", "b"), "a/b");
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(join_path("a", "/b"), "/b");
  EXPECT_EQ(join_path("a", "mem://b"), "mem://b");
  EXPECT_EQ(join_path("a", "50%20"), "a/50%20");
  EXPECT_EQ(join_path("mem://a", "50%20"), "mem://a/50%20");
  EXPECT_EQ(join_path("File:///a%20b", "50%%20"), "File:///a%20b/50%25%2520");
  EXPECT_EQ(parent_path("a/b/c"), "a/b");
  EXPECT_EQ(parent_path("/c"), "/");
  EXPECT_EQ(parent_path("c"), "");
  EXPECT_EQ(base_name("a/b"), "b");
}

TEST(StoreRegistry, ResolvesPathsAndSchemes) {
  StoreRegistry registry;
  const TemporaryDirectory directory;
  const std::string content = "text";
  ObjectAddress file = *registry.resolve(directory / "f");
  ASSERT_TRUE(write_now(*file.store, file.key, as_bytes(content)).ok());
  EXPECT_EQ(registry.resolve("file://" + (directory / "f"))->key, file.key);
  EXPECT_EQ(file.uri(), directory / "f");

  ObjectAddress object = *registry.resolve("mem://a/b");
  ASSERT_TRUE(write_now(*object.store, object.key, as_bytes(content)).ok());
  EXPECT_EQ(object.uri(), "mem://a/b");
  const ObjectAddress again = *registry.resolve("mem://a/b");
  EXPECT_EQ(text_of(*read_now(*again.store, {.key = again.key})), content);
}

TEST(StoreRegistry, KnowsTheNamesThatOthersUse) {
  StoreRegistry registry;
  EXPECT_EQ(registry.resolve("s3a://bucket/a/b")->uri(), "s3://bucket/a/b");
  EXPECT_EQ(registry.resolve("gcs://bucket/a/b")->uri(), "gs://bucket/a/b");
  EXPECT_EQ(registry.resolve("abfss://box@me.dfs.core.windows.net/a/b")->uri(),
            "abfs://box@me.dfs.core.windows.net/a/b");
}

TEST(StoreRegistry, UrlsOfTheWebAreKeysWithoutTheirScheme) {
  const ObjectAddress object = *StoreRegistry().resolve("https://host:8443/a b/c%20d?version=1");
  EXPECT_EQ(object.key, "host:8443/a b/c%20d?version=1");
  EXPECT_EQ(object.uri(), "https://host:8443/a%20b/c%20d");
}

TEST(StoreRegistry, AnUnknownSchemeNamesTheKnown) {
  const Status status = StoreRegistry().resolve("s4://b/k").status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(message(status).find("'s4'"), std::string_view::npos) << status;
  EXPECT_NE(message(status).find("file, gs, http, https, mem, s3"), std::string_view::npos) << status;
}

TEST(StoreRegistry, TheLongestMountWins) {
  StoreRegistry registry;
  auto outer = std::make_shared<MemoryStore>();
  auto inner = std::make_shared<MemoryStore>();
  registry.mount("s3://bucket/", outer);
  registry.mount("s3://bucket/hot/", inner, "kept/");
  EXPECT_EQ(registry.resolve("s3://bucket/k")->store, outer);
  EXPECT_EQ(registry.resolve("s3://bucket/k")->key, "k");
  EXPECT_EQ(registry.resolve("s3://bucket/hot/k")->store, inner);
  EXPECT_EQ(registry.resolve("s3://bucket/hot/k")->key, "kept/k");
  EXPECT_TRUE(registry.unmount("s3://bucket/hot/").ok());
  EXPECT_EQ(registry.resolve("s3://bucket/hot/k")->store, outer);
  EXPECT_EQ(registry.unmount("s3://bucket/hot/").code(), StatusCode::kNotFound);
}

/// Where it ends it waits for threads that may be resolving names, as a cache does.
class AskingStore final : public ForwardingStore {
 public:
  AskingStore(const StoreRegistry& registry, int& asked)
      : ForwardingStore(std::make_shared<MemoryStore>()), registry_(registry), asked_(asked) {}
  ~AskingStore() override {
    std::thread([this] { asked_ += registry_.resolve("mem://a/b").ok() ? 1 : 0; }).join();
  }

 private:
  const StoreRegistry& registry_;
  int& asked_;
};

TEST(StoreRegistry, AStoreThatIsUnmountedMayStillAskForNames) {
  StoreRegistry registry;
  int asked = 0;
  registry.mount("s3://bucket/", std::make_shared<AskingStore>(registry, asked));
  registry.mount("s3://bucket/", std::make_shared<AskingStore>(registry, asked));
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(registry.unmount("s3://bucket/").ok());
  EXPECT_EQ(asked, 2);
}

TEST(StoreRegistry, SchemesAreRegisteredOnce) {
  StoreRegistry registry;
  auto store = std::make_shared<MemoryStore>();
  const auto factory = [store](const Uri& uri, const StoreUse&) -> Result<ObjectAddress> {
    return ObjectAddress{store, uri.path};
  };
  EXPECT_TRUE(registry.register_scheme("x", factory).ok());
  EXPECT_EQ(registry.register_scheme("x", factory).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(registry.resolve("x://a/b")->key, "/b");
}

TEST(StoreRegistry, HandsOptionsToTheFactory) {
  StoreRegistry registry;
  auto store = std::make_shared<MemoryStore>();
  const auto factory = [store](const Uri& uri, const StoreUse& use) -> Result<ObjectAddress> {
    return ObjectAddress{store, use.options.at("folder") + uri.path};
  };
  const std::vector<StoreOptionSpec> known = {{"folder", "where objects lie"}, {"password", "", true}};
  ASSERT_TRUE(registry.register_scheme("x", factory, known).ok());
  const Uri uri = *parse_uri("x://a/b");
  EXPECT_EQ(registry.open(uri, {.options = {{"folder", "f"}}})->key, "f/b");
  EXPECT_TRUE((*registry.options_of("x"))[1].is_secret);

  const Status status = registry.open(uri, {.options = {{"folder", "f"}, {"colour", "red"}}}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(message(status).find("'colour'"), std::string_view::npos) << status;
  EXPECT_NE(message(status).find("folder, password"), std::string_view::npos) << status;
  EXPECT_EQ(registry.open(*parse_uri("mem://a"), {.options = {{"folder", "f"}}}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(StoreRegistry, StoresOfSchemesAreDecoratedOnce) {
  StoreRegistry registry;
  const auto plain = registry.resolve("mem://k")->store;
  registry.decorate([](const std::string& scheme, const StoreUse&, std::shared_ptr<ObjectStore> store) {
    return scheme == "mem" ? std::make_shared<FaultInjectingStore>(std::move(store)) : store;
  });
  const auto decorated = registry.resolve("mem://k")->store;
  EXPECT_NE(decorated, plain);
  EXPECT_EQ(registry.resolve("mem://another")->store, decorated);
  EXPECT_EQ(registry.resolve("/file")->store, LocalStore::process_store());
  registry.decorate({});
  EXPECT_EQ(registry.resolve("mem://k")->store, plain);
}

// The host's cache opens files by the same options, so what it reads is limited, too.
TEST(StoreRegistry, FilesThatShareALimitShareItCachedOrNot) {
  const TemporaryDirectory directory;
  const StoreRegistry registry;
  const Uri uri = *parse_uri("file://" + (directory / "f"));
  const std::string content(100'000, 'x');
  ASSERT_TRUE(write_now(*LocalStore::process_store(), uri.path, as_bytes(content)).ok());
  // The host keeps limits; this one is new.
  const std::string word = std::to_string(steady_clock().now_ns());
  StoreOptions options = {{"bytes_per_second", "1"}, {"limits_shared_as", word}};
  const std::shared_ptr<ObjectStore> plain = registry.open(uri, {.options = options})->store;
  EXPECT_EQ(registry.open(uri, {.options = options})->store, plain);
  options["cache"] = "on";
  const std::shared_ptr<ObjectStore> cached = registry.open(uri, {.options = options})->store;
  options["limits_shared_as"] = word + " another";
  const std::shared_ptr<ObjectStore> other = registry.open(uri, {.options = options})->store;
  EXPECT_TRUE(read_now(*plain, {.key = uri.path}).ok());
  const CallContext soon = {.deadline_ns = steady_clock().now_ns() + 100'000'000};
  EXPECT_EQ(read_now(*cached, {.key = uri.path}, soon).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(read_now(*other, {.key = uri.path}).ok());
  options["bytes_per_second"] = "none";
  EXPECT_EQ(registry.open(uri, {.options = options}).status().code(), StatusCode::kInvalidArgument);
}

TEST(StoreRegistry, StoresOfOtherEnvironmentsAreOthers) {
  const StoreRegistry registry;
  ::setenv("AWS_ACCESS_KEY_ID", "ours", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "our secret", 1);
  ::setenv("FOREBAY_NOT_OF_STORES", "1", 1);
  const Uri uri = *parse_uri("s3://bucket/k");
  const StoreVariables ours = registry.variables_of("s3");
  EXPECT_EQ(ours.at("AWS_ACCESS_KEY_ID"), "ours");
  EXPECT_FALSE(ours.contains("FOREBAY_NOT_OF_STORES"));
  EXPECT_FALSE(registry.variables_of("http").contains("AWS_ACCESS_KEY_ID"));
  EXPECT_TRUE(registry.variables_of("mem").empty());
  ::setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "here/token", 1);  // another process is elsewhere
  EXPECT_EQ(registry.variables_of("s3").at("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"),
            std::filesystem::absolute("here/token").string());
  ::unsetenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  EXPECT_TRUE(registry.variables_of("none").empty());
  const auto plain = registry.open(uri, {})->store;
  EXPECT_EQ(registry.open(uri, {.variables = ours})->store, plain);
  EXPECT_EQ(registry.open(uri, {.variables = ours, .identity = settings_identity({}, ours)})->store, plain);
  ::setenv("FOREBAY_RETRY_FOR", "7", 1);
  EXPECT_EQ(registry.variables_of("s3").at("FOREBAY_RETRY_FOR"), "7");
  EXPECT_NE(registry.open(uri, {})->store, plain);
  ::unsetenv("FOREBAY_RETRY_FOR");
  StoreVariables theirs = ours;
  theirs["AWS_ACCESS_KEY_ID"] = "theirs";
  EXPECT_NE(registry.open(uri, {.variables = theirs})->store, plain);
  theirs = ours;
  theirs["https_proxy"] = "http://proxy:1";
  EXPECT_NE(registry.open(uri, {.variables = theirs})->store, plain);
  ::unsetenv("AWS_ACCESS_KEY_ID");
  ::unsetenv("AWS_SECRET_ACCESS_KEY");
  ::unsetenv("FOREBAY_NOT_OF_STORES");
}

}  // namespace
}  // namespace forebay::storage
