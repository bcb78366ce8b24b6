// The S3 driver against versitygw.

#include "forebay/storage/s3/s3_store.h"
#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/storage/s3/allowed_credentials.h"
#include "forebay/storage/stores/store_registry.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "forebay/storage/remote/remote_store.h"
#include "forebay/storage/s3/s3_stores.h"
#include "forebay/storage/s3_credentials/credential_sources.h"
#include "forebay/storage/testing/object_store_conformance.h"
#include "forebay/storage/testing/versitygw_server.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kLeastUploadPart = 5 << 20;  // S3's

net::HttpClient& client_past_proxies() {
  static auto* const client = new net::HttpClient({.stall_timeout_s = 600, .uses_proxy = false});
  return *client;
}

S3Options options_of(const VersitygwServer& server) {
  return {.endpoint = server.endpoint(),
          .credentials = {VersitygwServer::kAccessKeyId, VersitygwServer::kSecretAccessKey, ""}};
}

std::shared_ptr<S3Connection> connect(const std::string& bucket, const S3Options& options,
                                      WallClock clock = wall_clock_seconds) {
  const Environment nothing = [](const std::string&) { return std::nullopt; };
  return std::make_shared<S3Connection>(bucket, options, *configure_s3(options, nothing, {}),
                                        *credentials_of(options, nothing, client_past_proxies()),
                                        client_past_proxies(), std::move(clock));
}

std::shared_ptr<S3Store> open_store(const std::string& bucket, const S3Options& options,
                                    WallClock clock = wall_clock_seconds) {
  return std::make_shared<S3Store>(connect(bucket, options, std::move(clock)));
}

struct S3StoreFixture {
  static std::string obstacle() {
    return VersitygwServer::program().empty() ? "versitygw is not installed" : "";
  }

  S3StoreFixture() {
    if (obstacle().empty()) {
      options = options_of(VersitygwServer::shared());
      bucket = VersitygwServer::shared().make_bucket();
      store = open_store(bucket, options);
    }
  }

  S3Options options;
  std::string bucket;
  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_OBJECT_STORE(S3, S3StoreFixture);

/// As the scheme opens it: with planned ranges, retries and hedged reads.
struct RemoteS3Fixture {
  static std::string obstacle() { return S3StoreFixture::obstacle(); }

  RemoteS3Fixture() {
    if (obstacle().empty()) {
      auto costs = std::make_shared<CostModel>();
      auto connection =
          connect(VersitygwServer::shared().make_bucket(), options_of(VersitygwServer::shared()));
      store = remote_store(std::make_shared<S3Store>(std::move(connection), costs), costs);
    }
  }

  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_OBJECT_STORE(RemoteS3, RemoteS3Fixture);

std::string pattern(size_t size_bytes) {
  std::string text(size_bytes, '\0');
  for (size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>(i * 31 + i / 4096);
  }
  return text;
}

class S3StoreTest : public ObjectStoreTestBase<S3StoreFixture> {
 protected:
  Result<ObjectStat> write_parts(const std::string& key, const std::string& content, size_t part_bytes,
                                 WriteOptions options = {}) {
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<ObjectWriter> writer,
                             store().open_writer(key, std::move(options)));
    for (size_t at = 0; at < content.size(); at += part_bytes) {
      FOREBAY_RETURN_IF_ERROR(append_now(
          *writer, as_bytes(content).subspan(at).first(std::min(part_bytes, content.size() - at))));
    }
    return commit_now(*writer);
  }
};

TEST_F(S3StoreTest, NamesMayHoldAnyText) {
  for (const char* key : {"a b", "100%", "%41", "q?x=1&y", "h#h", "\xc3\xa9", "a+b;c", "'\"<>|^`{}[]\\",
                          "~-_.", "a=b,c", "a\nb"}) {
    put(key, key);
    EXPECT_EQ(*get({.key = key}), key) << key;
    EXPECT_EQ(keys({.prefix = key}), std::vector<std::string>{key}) << key;
    EXPECT_TRUE(remove_now(store(), key).ok()) << key;
  }
}

// This server does not encode names in listings, and XML has no control characters: better an error than a
// name that is not the object's.
TEST_F(S3StoreTest, NamesThatAListingCannotHoldAreNotMadeUp) {
  const std::string key = "\x01\x7f\xff";
  put(key, "content");
  EXPECT_EQ(*get({.key = key}), "content");
  for (const std::string& prefix : {key, std::string()}) {
    EXPECT_EQ(list_all_now(store(), {.prefix = prefix}).status().code(), StatusCode::kDataLoss);
  }
}

TEST_F(S3StoreTest, ListingsAndStatsAgree) {
  put("k", "content");
  const ObjectStat stat = *stat_now(store(), "k");
  const ListPage page = *list_all_now(store(), {});
  ASSERT_EQ(page.objects.size(), 1u);
  EXPECT_EQ(page.objects[0].version, stat.version);
  EXPECT_EQ(page.objects[0].size_bytes, stat.size_bytes);
  EXPECT_EQ(page.objects[0].modified_ns / 1'000'000'000, stat.modified_ns / 1'000'000'000);
  EXPECT_GT(stat.modified_ns, 0);
}

TEST_F(S3StoreTest, LargeObjectsGoUpInParts) {
  const std::string content = pattern(3 * (8 << 20) + 12'345);
  for (const size_t part_bytes : {size_t{1} << 20, size_t{8} << 20, size_t{9'000'001}, content.size()}) {
    const Result<ObjectStat> stat = write_parts("big", content, part_bytes);
    ASSERT_TRUE(stat.ok()) << stat.status();
    EXPECT_EQ(stat->size_bytes, content.size());
    EXPECT_NE(stat->version.find('-'), std::string::npos) << stat->version;  // S3's tags of uploads in parts
    EXPECT_EQ(stat_now(store(), "big")->version, stat->version);
    EXPECT_TRUE(*get({.key = "big"}) == content) << part_bytes;
  }
}

TEST_F(S3StoreTest, WhatOneRequestMayNotBringIsWrittenInParts) {
  const std::string content = pattern(2 * kLeastUploadPart + (6 << 20));
  S3Options small = fixture_.options;
  small.part_bytes = kLeastUploadPart;
  small.largest_put_bytes = 6 << 20;
  const std::shared_ptr<S3Store> writing = open_store(fixture_.bucket, small);
  for (const WriteOptions& options : {WriteOptions(), WriteOptions{.if_absent = true}}) {
    const std::string key = options.if_absent ? "absent" : "any";
    const Result<ObjectStat> made = write_now(*writing, key, as_bytes(content), options);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_NE(made->version.find('-'), std::string::npos) << made->version;
    EXPECT_EQ(stat_now(store(), key)->version, made->version);
    EXPECT_TRUE(*get({.key = key}) == content);
    EXPECT_EQ(write_now(*writing, key, as_bytes(content), {.if_absent = true}).status().code(),
              StatusCode::kAlreadyExists);
  }
  const std::string small_content = pattern(6 << 20);
  EXPECT_EQ(write_now(*writing, "one", as_bytes(small_content))->version.find('-'), std::string::npos);
}

TEST_F(S3StoreTest, PartsGoUpTogetherAndStayInOrder) {
  std::vector<std::string> parts;
  std::string whole;
  for (int i = 0; i < 4; ++i) {
    parts.push_back(pattern((8 << 20) + i));
    parts.back()[0] = static_cast<char>('a' + i);
    whole += parts.back();
  }
  const std::unique_ptr<ObjectWriter> writer = *store().open_writer("big", {});
  std::counting_semaphore<> done(0);
  for (const std::string& part : parts) {
    writer->append(as_bytes(part), {}, [&](const Status& status) {
      EXPECT_TRUE(status.ok()) << status;
      done.release();
    });
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    done.acquire();
  }
  ASSERT_TRUE(commit_now(*writer).ok());
  EXPECT_TRUE(*get({.key = "big"}) == whole);
}

TEST_F(S3StoreTest, UploadsInPartsAreConditional) {
  const std::string content = pattern(9 << 20);
  const ObjectStat first = put("k", "one");
  EXPECT_EQ(write_parts("k", content, 9 << 20, {.if_absent = true}).status().code(),
            StatusCode::kAlreadyExists);
  EXPECT_EQ(write_parts("k", content, 9 << 20, {.if_version = "other"}).status().code(),
            StatusCode::kAborted);
  EXPECT_EQ(*get({.key = "k"}), "one");
  EXPECT_TRUE(write_parts("k", content, 9 << 20, {.if_version = first.version}).ok());
  EXPECT_TRUE(write_parts("l", content, 9 << 20, {.if_absent = true}).ok());
}

TEST_F(S3StoreTest, LargeObjectsAreCopiedInParts) {
  const std::string content = pattern((16 << 20) + 77);
  const ObjectStat stat = put("big", content);
  S3Options small = fixture_.options;
  small.largest_copy_bytes = kLeastUploadPart;
  const std::shared_ptr<S3Store> copying = open_store(fixture_.bucket, small);
  const Result<ObjectStat> made = copy_now(*copying, {"big", "copy", stat.version});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->size_bytes, content.size());
  EXPECT_EQ(stat_now(store(), "copy")->version, made->version);
  EXPECT_TRUE(*get({.key = "copy"}) == content);
  EXPECT_EQ(copy_now(*copying, {"big", "copy", {}, true}).status().code(), StatusCode::kAlreadyExists);
}

TEST_F(S3StoreTest, BucketsMayBePartsOfTheHostName) {
  put("a b", "one");
  S3Options by_host = fixture_.options;
  by_host.endpoint = VersitygwServer::shared().domain_endpoint();
  by_host.path_style = false;
  const std::shared_ptr<S3Store> other = open_store(fixture_.bucket, by_host);
  EXPECT_EQ(text_of(*read_now(*other, {.key = "a b"})), "one");
  EXPECT_EQ(list_all_now(*other, {})->objects.size(), 1u);
}

TEST_F(S3StoreTest, SignedUrlsAreAccepted) {
  put("a b", "content");
  const std::string host = VersitygwServer::shared().endpoint().substr(std::string("http://").size());
  const std::string path = "/" + fixture_.bucket + "/a%20b";
  const std::string query = net::presigned_query(
      {.path = path, .headers = {{"host", host}}},
      {.unix_seconds = wall_clock_seconds(), .region = "us-east-1"}, fixture_.options.credentials, 600);
  const auto get = [&](const std::string& with) {
    return net::send_now(client_past_proxies(), {.url = "http://" + host + path + "?" + with});
  };
  const Result<net::HttpResponse> answer = get(query);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->status, 200) << answer->body;
  EXPECT_EQ(answer->body, "content");
  const char last = query.back() == '0' ? '1' : '0';
  EXPECT_EQ(get(query.substr(0, query.size() - 1) + last)->status, 403);
}

TEST_F(S3StoreTest, SideDataIsKeptWhereTheUserSays) {
  const ObjectStat stat = put("k", "content");
  EXPECT_EQ(store().derived("k", stat.version, "kind").status().code(), StatusCode::kUnimplemented);
  const TemporaryDirectory directory;
  setenv("FOREBAY_CACHE_DIR", directory.path().c_str(), 1);
  const Result<ObjectAddress> side = store().derived("k", stat.version, "kind");
  const Result<ObjectAddress> other = store().derived("k", "other", "kind");
  unsetenv("FOREBAY_CACHE_DIR");
  ASSERT_TRUE(side.ok()) << side.status();
  EXPECT_TRUE(side->key.starts_with(directory.path())) << side->key;
  EXPECT_NE(side->key, other->key);
}

TEST_F(S3StoreTest, AChildReadsOverConnectionsOfItsOwn) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  put("k", "content");
  EXPECT_EQ(*get({.key = "k"}), "content");
  const pid_t child = fork();
  if (child == 0) {
    const Result<ReadBytes> read = read_now(store(), {.key = "k"});
    _exit(read.ok() && text_of(*read) == "content" ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*get({.key = "k"}), "content");
}

TEST_F(S3StoreTest, AClockThatIsWrongIsCorrected) {
  put("k", "x");
  const std::shared_ptr<S3Store> late =
      open_store(fixture_.bucket, fixture_.options, [] { return wall_clock_seconds() - 100'000; });
  EXPECT_EQ(text_of(*read_now(*late, {.key = "k"})), "x");
  const std::shared_ptr<S3Store> early =
      open_store(fixture_.bucket, fixture_.options, [] { return wall_clock_seconds() + 100'000; });
  EXPECT_EQ(stat_now(*early, "k")->size_bytes, 1u);
}

TEST_F(S3StoreTest, WrongKeysAreDeniedWithoutBeingNamed) {
  S3Options wrong = fixture_.options;
  wrong.credentials.secret_access_key = "not-the-secret";
  const std::shared_ptr<S3Store> denied = open_store(fixture_.bucket, wrong);
  for (const Status& status : {read_now(*denied, {.key = "k"}).status(), stat_now(*denied, "k").status()}) {
    EXPECT_EQ(status.code(), StatusCode::kPermissionDenied) << status;
    EXPECT_NE(message(status).find(denied->uri_of("k")), std::string_view::npos) << status;
    EXPECT_EQ(message(status).find("not-the-secret"), std::string_view::npos) << status;
    EXPECT_EQ(message(status).find(wrong.credentials.access_key_id), std::string_view::npos) << status;
  }
}

TEST_F(S3StoreTest, BucketsThatDoNotExistAreNamed) {
  const std::shared_ptr<S3Store> nowhere = open_store("no-such-bucket", fixture_.options);
  const Status status = read_now(*nowhere, {.key = "k"}).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound) << status;
  EXPECT_NE(message(status).find("s3://no-such-bucket/k"), std::string_view::npos) << status;
  EXPECT_EQ(list_now(*nowhere, {}).status().code(), StatusCode::kNotFound);
}

TEST_F(S3StoreTest, KeysThatS3CannotHoldAreRefused) {
  const std::string content = "x";
  for (const std::string& key : {std::string(), std::string(2000, 'k'), std::string("a\0b", 3)}) {
    EXPECT_EQ(write_now(store(), key, as_bytes(content)).status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(store().open_writer(key, {}).status().code(), StatusCode::kInvalidArgument);
  }
}

// A version comes from the file of an index, which may hold anything.
TEST_F(S3StoreTest, VersionsCannotSmuggleHeaders) {
  put("k", "x");
  const Status status =
      read_now(store(), {.key = "k", .if_version = "a\"\r\nx-amz-acl: public-read\r\n"}).status();
  EXPECT_FALSE(status.ok());
}

TEST(S3Scheme, AStoreIsSharedByABucketAndItsOptions) {
  const StoreRegistry registry;
  const Uri uri = *parse_uri("s3://bucket/a/b%20c");
  const StoreOptions options = {{"endpoint", "http://host"}, {"anonymous", "true"}};
  const ObjectAddress address = *registry.open(uri, {.options = options});
  EXPECT_EQ(address.key, "a/b%20c");
  EXPECT_EQ(address.uri(), "s3://bucket/a/b%20c");
  EXPECT_EQ(registry.open(*parse_uri("s3://bucket"), {.options = options})->store, address.store);
  EXPECT_NE(registry.open(*parse_uri("s3://other"), {.options = options})->store, address.store);
  EXPECT_NE(registry.open(uri, {.options = {{"endpoint", "http://other"}, {"anonymous", "true"}}})->store,
            address.store);
  for (const char* wrong : {"s3://", "s3:///key", "s3://a b/key"}) {
    EXPECT_EQ(registry.open(*parse_uri(wrong), {.options = options}).status().code(),
              StatusCode::kInvalidArgument)
        << wrong;
  }
}

TEST(S3Scheme, TakesTheOptionsThatItSays) {
  const std::vector<StoreOptionSpec> options = *StoreRegistry().options_of("s3");
  EXPECT_EQ(options.size(), 11u);
  for (const StoreOptionSpec& option : options) {
    const bool is_number = option.name == "retry_for" || option.name.ends_with("_per_second");
    StoreOptions given = {{"access_key_id", "id"}, {"secret_access_key", "key"}};
    given.insert_or_assign(option.name, option.name == "addressing" ? "path" : is_number ? "100" : "true");
    EXPECT_TRUE(parse_options("s3", s3_options(), given).ok()) << option.name;
    const bool is_key = option.name == "secret_access_key" || option.name == "session_token";
    EXPECT_EQ(option.is_secret, is_key) << option.name;
  }
}

}  // namespace
}  // namespace forebay::storage
