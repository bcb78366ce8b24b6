// The whole stack over HTTP: the driver and all decorators, against a server that works and one that does
// not.
#include <atomic>
#include <cstdlib>

#include "forebay/base/random/random.h"
#include "forebay/net/testing/nginx_server.h"
#include "forebay/net/testing/scripted_server.h"
#include "forebay/storage/http/http_store.h"
#include "forebay/storage/remote/remote_store.h"
#include "forebay/storage/testing/object_store_conformance.h"

namespace forebay::storage {
namespace {

using net::testing::NginxServer;
using net::testing::ScriptedConnection;
using net::testing::ScriptedServer;

std::shared_ptr<ObjectStore> remote_http(HttpStoreOptions options) {
  options.client = std::make_shared<net::HttpClient>(
      net::HttpClientOptions{.connections_per_host = 8, .stall_timeout_s = 600, .uses_proxy = false});
  auto costs = std::make_shared<CostModel>();
  options.costs = costs;
  return remote_store(std::make_shared<HttpStore>(std::move(options)), std::move(costs));
}

struct RemoteHttpFixture {
  static std::string obstacle() { return NginxServer::is_installed() ? "" : "nginx is not installed"; }

  RemoteHttpFixture() {
    if (obstacle().empty()) {
      server.emplace(net::testing::NginxOptions{.server_lines = "autoindex on; autoindex_format json;"});
      store = remote_http({.base_url = server->url(), .limits = {1'000'000, 1e12}});
    }
  }
  void put(const std::string& key, const std::string& content) { server->put(key, content); }
  void remove(const std::string& key) { server->remove(key); }

  std::optional<NginxServer> server;
  std::shared_ptr<ObjectStore> store;
};
FOREBAY_TEST_READ_ONLY_STORE(RemoteHttp, RemoteHttpFixture);

/// Serves ranges of one object, and lies, breaks off or refuses at every second request or so.
class UnreliableServer {
 public:
  explicit UnreliableServer(std::string content)
      : content_(std::move(content)),
        server_([this](ScriptedConnection& connection, int) { serve(connection); }) {}

  std::string url() const { return server_.url(); }
  uint64_t faults() const { return faults_.load(); }

 private:
  void serve(ScriptedConnection& connection) {
    std::string request;
    while (!(request = connection.read_request()).empty()) {
      RandomStream draws(7, requests_.fetch_add(1));
      const uint64_t fault = draws.below(12);
      faults_ += fault < 6;
      const std::string head = head_for(request);
      const std::string body = body_for(request);
      if (fault == 0) {
        connection.send("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n");
      } else if (fault == 1) {
        connection.reset();
        return;
      } else if (fault == 2) {
        connection.send(head + body.substr(0, body.size() / 2));
        return;
      } else if (fault == 3) {
        connection.send("HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops");
      } else if (fault == 4) {
        connection.send(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-0/1\r\nContent-Length: 1\r\n\r\nx");
      } else if (fault == 5) {
        connection.send("this is no HTTP\r\n\r\n");
        return;
      } else if (!connection.send(head + body)) {
        return;
      }
    }
  }

  std::pair<uint64_t, uint64_t> range_of(const std::string& request) const {
    const size_t place = request.find("Range: bytes=");
    if (place == std::string::npos) {
      return {0, content_.size() - 1};
    }
    char* end = nullptr;
    const uint64_t first = std::strtoull(request.c_str() + place + 13, &end, 10);
    return {first, std::strtoull(end + 1, nullptr, 10)};
  }
  std::string body_for(const std::string& request) const {
    const auto [first, last] = range_of(request);
    return content_.substr(first, last - first + 1);
  }
  std::string head_for(const std::string& request) const {
    const auto [first, last] = range_of(request);
    return fmt::format(
        "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes {}-{}/{}\r\nContent-Length: "
        "{}\r\n\r\n",
        first, last, content_.size(), last - first + 1);
  }

  const std::string content_;
  std::atomic<uint64_t> requests_{0};
  std::atomic<uint64_t> faults_{0};
  ScriptedServer server_;
};

TEST(RemoteHttp, AnUnreliableServerGivesRightBytesOrNone) {
  std::string content(200'000, '\0');
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 31 + i / 251);
  }
  UnreliableServer server(content);
  const std::shared_ptr<ObjectStore> store = remote_http(
      {.base_url = server.url(),
       .retries = {.max_attempts = 40, .first_delay_ns = 10'000, .max_delay_ns = 100'000, .seed = 7}});
  std::vector<ReadRequest> requests;
  for (uint64_t i = 0; i < 300; ++i) {
    // Not the first byte: an answer that it is the only one cannot be told from the truth.
    requests.push_back({.key = "k", .offset_bytes = 1 + i * 601, .length_bytes = 2 + i * 37 % 5000});
  }
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < requests.size(); ++i) {
      const Result<ReadBytes> read = read_now(*store, requests[i]);
      ASSERT_TRUE(read.ok()) << read.status();
      ASSERT_EQ(text_of(*read), content.substr(requests[i].offset_bytes, requests[i].length_bytes));
    }
  }
  const std::vector<Result<ReadBytes>> reads = read_many_now(*store, requests);
  for (size_t i = 0; i < reads.size(); ++i) {
    ASSERT_TRUE(reads[i].ok()) << reads[i].status();
    ASSERT_EQ(text_of(*reads[i]), content.substr(requests[i].offset_bytes, requests[i].length_bytes));
  }
  EXPECT_GT(server.faults(), 100u);
}

}  // namespace
}  // namespace forebay::storage
