#include "forebay/storage/http/http_store.h"

#include <cstdlib>
#include <optional>

#include "forebay/net/testing/nginx_server.h"
#include "forebay/net/testing/scripted_server.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/http/http_index.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/testing/object_store_conformance.h"

namespace forebay::storage {
namespace {

using net::testing::NginxServer;
using net::testing::ScriptedConnection;
using net::testing::ScriptedServer;

constexpr char kIndexed[] = "autoindex on; autoindex_format json;";

std::shared_ptr<net::HttpClient> client_for_tests() {
  return std::make_shared<net::HttpClient>(
      net::HttpClientOptions{.connections_per_host = 8, .stall_timeout_s = 600, .uses_proxy = false});
}

struct HttpStoreFixture {
  static std::string obstacle() { return NginxServer::is_installed() ? "" : "nginx is not installed"; }

  HttpStoreFixture() {
    if (obstacle().empty()) {
      server.emplace(net::testing::NginxOptions{.server_lines = kIndexed});
      store = std::make_shared<HttpStore>(
          HttpStoreOptions{.base_url = server->url(), .client = client_for_tests()});
    }
  }
  void put(const std::string& key, const std::string& content) { server->put(key, content); }
  void remove(const std::string& key) { server->remove(key); }

  std::optional<NginxServer> server;
  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_READ_ONLY_STORE(Http, HttpStoreFixture);

class HttpStoreTest : public ObjectStoreTestBase<HttpStoreFixture> {};

TEST_F(HttpStoreTest, NamesMayHoldAnyBytes) {
  for (const char* key :
       {"a b", "100%", "%41", "q?x=1&y", "h#h", "\xc3\xa9\xff", "a+b;c", "'\"<>|^`{}[]\\", "\x01\n"}) {
    put(key, key);
    EXPECT_EQ(*get({.key = key}), key) << key;
  }
}

TEST_F(HttpStoreTest, KeysMayBeUrls) {
  put("d/a b", "one");
  put("d/c%d", "two");
  HttpStore urls({.scheme = "http", .client = client_for_tests()});
  const std::string host = fixture_.server->url().substr(7);
  EXPECT_EQ(text_of(*read_now(urls, {.key = host + "d/a b"})), "one");
  EXPECT_EQ(text_of(*read_now(urls, {.key = host + "d/a%20b?query=secret"})), "one");
  EXPECT_EQ(urls.uri_of("u:p@" + host + "d/a%20b?query=secret"), fixture_.server->url("/d/a%20b"));
  const Result<ListPage> page = list_all_now(urls, {.prefix = host + "d/"});
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->objects.size(), 2u);
  EXPECT_EQ(page->objects[1].key, host + "d/c%25d");
  EXPECT_EQ(text_of(*read_now(urls, {.key = page->objects[1].key})), "two");
}

// RFC 9110, 8.8.2.2: a time says which content was sent only if it was not the time of sending.
TEST_F(HttpStoreTest, WeakVersionsAreKnown) {
  const std::string modified = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
  const std::vector<std::pair<std::string, bool>> cases = {
      {"", true},
      {"ETag: \"a\"\r\n", false},
      {"ETag: W/\"a\"\r\n" + modified + "Date: Sun, 06 Nov 1994 09:49:37 GMT\r\n", true},
      {modified, true},
      {modified + "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", true},
      {modified + "Date: Sun, 06 Nov 1994 08:50:36 GMT\r\n", true},
      {modified + "Date: Sun, 06 Nov 1994 08:50:37 GMT\r\n", false},
      {modified + "Date: yesterday\r\n", true}};
  for (const auto& [headers, is_weak] : cases) {
    ScriptedServer server([&](ScriptedConnection& connection, int) {
      connection.read_request();
      connection.send("HTTP/1.1 200 OK\r\n" + headers + "Content-Length: 2\r\n\r\nok");
    });
    HttpStore store({.base_url = server.url(), .client = client_for_tests()});
    const Result<ReadBytes> read = read_now(store, {.key = "k"});
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->has_weak_version, is_weak) << headers;
  }
}

TEST_F(HttpStoreTest, OptionsMakeStoresOfTheirOwn) {
  std::string seen;
  ScriptedServer server([&](ScriptedConnection& connection, int) {
    seen = connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  StoreRegistry registry;
  const Uri uri = *parse_uri(server.url("/k"));
  const StoreOptions options = {{"bearer_token", "secret"}, {"bytes_per_second", "1e9"}};
  const Result<ObjectAddress> address = registry.open(uri, {.options = options});
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(registry.open(uri, {.options = options})->store, address->store);
  EXPECT_NE(registry.open(uri, {})->store, address->store);
  ::setenv("http_proxy", "http://localhost:1", 1);  // which nothing on this host is asked through
  EXPECT_EQ(text_of(*read_now(*address->store, {.key = address->key})), "ok");
  ::unsetenv("http_proxy");
  EXPECT_NE(seen.find("Authorization: Bearer secret"), std::string::npos) << seen;
  for (const char* other : {"http://example.com/k", "http://localhost:x@example.com/k"}) {
    const Status refused = registry.open(*parse_uri(other), {.options = options}).status();
    EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << other;
    EXPECT_EQ(message(refused).find("localhost"), std::string_view::npos) << refused;
  }
  for (const char* rate : {"", "0", "-1", "fast", "1x", "inf", "nan"}) {
    EXPECT_EQ(registry.open(uri, {.options = {{"requests_per_second", rate}}}).status().code(),
              StatusCode::kInvalidArgument)
        << rate;
  }
}

TEST_F(HttpStoreTest, IsReadOnly) {
  const std::string content = "x";
  const Status status = write_now(store(), "k", as_bytes(content)).status();
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_NE(message(status).find("read-only"), std::string_view::npos) << status;
  EXPECT_EQ(store().open_writer("k", {}).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(remove_now(store(), "k").code(), StatusCode::kUnimplemented);
}

TEST(HttpStoreListing, SaysWhatToDoWhereThereIsNone) {
  if (!NginxServer::is_installed()) {
    GTEST_SKIP() << "nginx is not installed";
  }
  for (const char* lines : {"", "autoindex on;"}) {
    NginxServer server({.server_lines = lines});
    server.put("d/k", "x");
    HttpStore store({.base_url = server.url(), .client = client_for_tests()});
    const Status status = list_all_now(store, {.prefix = "d/"}).status();
    EXPECT_NE(message(status).find("name the files"), std::string_view::npos) << status;
  }
}

TEST(HttpIndex, ReadsWhatNginxWrites) {
  const auto entries =
      parse_http_index(R"([{"name":"d","type":"directory","mtime":"Sun, 06 Nov 1994 08:49:37 GMT"},)"
                       R"({"name":"f","type":"file","mtime":"Sun, 06 Nov 1994 08:49:37 GMT","size":7}])");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].name, "d/");
  EXPECT_EQ((*entries)[1].size_bytes, 7u);
  EXPECT_EQ((*entries)[1].modified_ns, int64_t{784111777} * 1'000'000'000);
}

TEST(HttpIndex, RefusesWhatIsNone) {
  for (const char* text : {"", "{}", "[", "[[", "[[]]", "[{\"name\":{\"name\":1}}]", "<html>", "[1", "nul"}) {
    EXPECT_FALSE(parse_http_index(text).ok()) << text;
  }
  for (const char* name : {"", ".", "..", "../x", "a/b", "a\\u0000b"}) {
    const auto entries = parse_http_index(R"([{"name":")" + std::string(name) + R"(","type":"file"}])");
    ASSERT_TRUE(entries.ok()) << name;
    EXPECT_TRUE(entries->empty()) << name;
  }
}

/// A store over a server that answers each request as `answer` says.
class ScriptedHttp {
 public:
  using Answer = std::function<std::string(const std::string& request)>;

  explicit ScriptedHttp(Answer answer)
      : server_([answer = std::move(answer)](ScriptedConnection& connection, int) {
          std::string request;
          while (!(request = connection.read_request()).empty()) {
            if (!connection.send(answer(request))) {
              return;
            }
          }
        }) {}

  Result<std::string> get(ReadRequest request) {
    FOREBAY_ASSIGN_OR_RETURN(const ReadBytes read, read_now(store_, std::move(request)));
    return text_of(read);
  }
  HttpStore& store() { return store_; }

 private:
  ScriptedServer server_;
  HttpStore store_{{.base_url = server_.url(),
                    .client = client_for_tests(),
                    .max_skipped_bytes = 5,
                    .retries = {.max_attempts = 1}}};
};

std::string answer(const std::string& status, const std::string& headers, const std::string& body = "") {
  return "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

TEST(HttpStoreServers, ThatKnowNoRangesAreReadWithinLimits) {
  ScriptedHttp http([](const std::string&) { return answer("200 OK", "", "0123456789"); });
  EXPECT_EQ(*http.get({.key = "k", .offset_bytes = 3, .length_bytes = 4}), "3456");
  EXPECT_EQ(*http.get({.key = "k", .offset_bytes = 5}), "56789");
  EXPECT_EQ(http.get({.key = "k", .offset_bytes = 6}).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(http.get({.key = "k", .offset_bytes = 3, .length_bytes = 8}).status().code(),
            StatusCode::kOutOfRange);
}

TEST(HttpStoreServers, ThatSendAnotherRangeAreNotBelieved) {
  for (const char* range : {"bytes 2-5/10", "bytes 3-5/10", "bytes 3-7/10", "bytes 0-0/1", "nonsense", ""}) {
    ScriptedHttp http([&](const std::string&) {
      return answer("206 Partial Content", "Content-Range: " + std::string(range) + "\r\n", "abcd");
    });
    EXPECT_EQ(http.get({.key = "k", .offset_bytes = 3, .length_bytes = 4}).status().code(),
              StatusCode::kUnavailable)
        << range;
  }
}

TEST(HttpStoreServers, ThatTellNoSizeAreReadWhole) {
  ScriptedHttp http([](const std::string& request) -> std::string {
    if (request.starts_with("HEAD")) {
      return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    }
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n";
  });
  EXPECT_EQ(*http.get({.key = "k"}), "0123456789");
  EXPECT_EQ(*http.get({.key = "k", .offset_bytes = 8}), "89");
  EXPECT_EQ(stat_now(http.store(), "k").status().code(), StatusCode::kFailedPrecondition);
}

TEST(HttpStoreServers, ThatRefuseHeadAreAskedByGet) {
  ScriptedHttp http([](const std::string& request) {
    return request.starts_with("HEAD")
               ? std::string("HTTP/1.1 405 Not Allowed\r\n\r\n")
               : answer("206 Partial Content", "ETag: \"v\"\r\nContent-Range: bytes 0-0/70\r\n", "x");
  });
  const Result<ObjectStat> stat = stat_now(http.store(), "k");
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->size_bytes, 70u);
  EXPECT_EQ(stat->version, "\"v\"");
}

TEST(HttpStoreServers, ThatIgnoreConditionsAreHeldAgainstTheVersion) {
  for (const char* tag : {"\"new\"", "W/\"new\""}) {
    ScriptedHttp http(
        [&](const std::string&) { return answer("200 OK", "ETag: " + std::string(tag) + "\r\n", "xyz"); });
    const std::string old = tag[0] == 'W' ? "W/\"old\"/3" : "\"old\"";
    EXPECT_EQ(http.get({.key = "k", .if_version = old}).status().code(), StatusCode::kAborted);
    const std::string version = stat_now(http.store(), "k")->version;
    EXPECT_EQ(*http.get({.key = "k", .if_version = version}), "xyz");
  }
}

TEST(HttpStoreServers, WithoutTagsAreToldByTimeAndSize) {
  std::string date = "Sun, 06 Nov 1994 08:49:37 GMT";
  ScriptedHttp http(
      [&](const std::string&) { return answer("200 OK", "Last-Modified: " + date + "\r\n", "xyz"); });
  const Result<ObjectStat> stat = stat_now(http.store(), "k");
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->modified_ns, int64_t{784111777} * 1'000'000'000);
  EXPECT_EQ(*http.get({.key = "k", .if_version = stat->version}), "xyz");
  date = "Sun, 06 Nov 1994 08:49:38 GMT";
  EXPECT_EQ(http.get({.key = "k", .if_version = stat->version}).status().code(), StatusCode::kAborted);
}

TEST(HttpStoreServers, ThatEncodeAreRefused) {
  ScriptedHttp http([](const std::string&) { return answer("200 OK", "Content-Encoding: gzip\r\n", "xyz"); });
  EXPECT_EQ(http.get({.key = "k"}).status().code(), StatusCode::kFailedPrecondition);
}

TEST(HttpStoreServers, ThatNameTheEncodingOfAStoredFileAreNotRefused) {
  ScriptedHttp http(
      [](const std::string&) { return answer("200 OK", "Content-Encoding: x-gzip\r\n", "xyz"); });
  EXPECT_EQ(*http.get({.key = "k"}), "xyz");
}

TEST(HttpStoreServers, MaySendARangeWithoutTheSize) {
  int requests = 0;
  ScriptedHttp http([&](const std::string&) {
    ++requests;
    return answer("206 Partial Content", "ETag: \"v\"\r\nContent-Range: bytes 2-4/*\r\n", "xyz");
  });
  EXPECT_EQ(*http.get({.key = "k", .offset_bytes = 2, .length_bytes = 3}), "xyz");
  requests = 0;
  EXPECT_EQ(http.get({.key = "k", .offset_bytes = 2, .length_bytes = 4}).status().code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(requests, 1);
}

TEST(HttpStoreServers, ErrorsHaveNames) {
  const std::pair<const char*, StatusCode> cases[] = {
      {"401 x", StatusCode::kPermissionDenied}, {"403 x", StatusCode::kPermissionDenied},
      {"404 x", StatusCode::kNotFound},         {"410 x", StatusCode::kNotFound},
      {"429 x", StatusCode::kUnavailable},      {"500 x", StatusCode::kUnavailable},
      {"503 x", StatusCode::kUnavailable},      {"418 x", StatusCode::kFailedPrecondition}};
  for (const auto& [status, code] : cases) {
    ScriptedHttp http([&](const std::string& request) {
      return request.starts_with("HEAD") ? "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 0\r\n\r\n"
                                         : answer(status, "", "page");
    });
    const Status read = http.get({.key = "k"}).status();
    EXPECT_EQ(read.code(), code) << read;
    EXPECT_NE(message(read).find(http.store().uri_of("k")), std::string_view::npos) << read;
    EXPECT_EQ(stat_now(http.store(), "k").status().code(), code) << status;
  }
}

TEST(HttpStoreServers, ThatThrottleAreWaitedFor) {
  ScriptedHttp http([](const std::string&) { return answer("503 Busy", "Retry-After: 7\r\n"); });
  EXPECT_EQ(retry_after_ns(http.get({.key = "k"}).status()), int64_t{7} * 1'000'000'000);
}

TEST(HttpStoreServers, ThatCloseAreBelievedOnlyAboutALengthTheyGave) {
  ScriptedServer server([](ScriptedConnection& connection, int) {
    const bool is_part = connection.read_request().find("Range:") != std::string::npos;
    connection.send(is_part ? "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/10\r\n"
                              "Content-Length: 4\r\n\r\n01"
                            : "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwhole");
  });
  HttpStore store({.base_url = server.url(), .client = client_for_tests(), .retries = {.max_attempts = 1}});
  EXPECT_EQ(text_of(*read_now(store, {.key = "k"})), "whole");
  EXPECT_EQ(read_now(store, {.key = "k", .length_bytes = 4}).status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace forebay::storage
