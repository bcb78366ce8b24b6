// The client against a real server.
#include "forebay/net/client/http_client.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/wait_for_child.h"

#include <unistd.h>

#include <atomic>
#include <semaphore>

#include "forebay/memory/copy.h"
#include "forebay/net/testing/http_client_test_base.h"
#include "forebay/net/testing/nginx_server.h"

namespace forebay::net {
namespace {

using testing::NginxServer;

std::string pattern(size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) {
    text[i] = static_cast<char>(i * 7 + i / 256);
  }
  return text;
}

class HttpClientTest : public testing::HttpClientTestBase {
 protected:
  void SetUp() override {
    if (!NginxServer::is_installed()) {
      GTEST_SKIP() << "nginx is not installed";
    }
  }
};

TEST_F(HttpClientTest, GetsWhatIsThere) {
  NginxServer server;
  server.put("a/b", "hello");
  const Result<HttpResponse> got = get(server.url("/a/b"));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "hello");
  EXPECT_EQ(got->body_bytes, 5u);
  EXPECT_EQ(*got->content_length(), 5u);
  EXPECT_EQ(got->url, server.url("/a/b"));
  EXPECT_NE(got->header("etag"), nullptr);
  EXPECT_GT(got->first_byte_ns, 0);
  EXPECT_GE(got->total_ns, got->first_byte_ns);
  EXPECT_EQ(get(server.url("/none"))->status, 404);
}

TEST_F(HttpClientTest, HeadHasNoBody) {
  NginxServer server;
  server.put("k", "hello");
  const Result<HttpResponse> head = send({.method = "HEAD", .url = server.url("/k")});
  ASSERT_TRUE(head.ok()) << head.status();
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(*head->content_length(), 5u);
  EXPECT_EQ(head->body_bytes, 0u);
}

TEST_F(HttpClientTest, WritesIntoTheCallersMemory) {
  NginxServer server;
  const std::string content = pattern(3'000'000);
  server.put("k", content);
  std::string memory(content.size(), '\0');
  const uint64_t copied = memory::bytes_copied();
  const Result<HttpResponse> got =
      send({.url = server.url("/k"), .into = std::as_writable_bytes(std::span(memory))});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(memory, content);
  EXPECT_EQ(got->body_bytes, content.size());
  EXPECT_TRUE(got->body.empty());
  EXPECT_EQ(memory::bytes_copied() - copied, content.size());  // once, out of the receive buffer
  const Status longer =
      send({.url = server.url("/k"), .into = std::as_writable_bytes(std::span(memory)).first(9)}).status();
  EXPECT_EQ(longer.code(), StatusCode::kOutOfRange) << longer;
}

TEST_F(HttpClientTest, MemoryMayDependOnTheHead) {
  NginxServer server;
  server.put("k", "0123456789");
  std::string memory;
  HttpRequest request = {.url = server.url("/k")};
  request.body_target = [&](const HttpResponse& head) -> Result<BodyTarget> {
    memory.resize(*head.content_length() - 7);
    return BodyTarget{.into = std::as_writable_bytes(std::span(memory)), .skip_bytes = 2, .ends_there = true};
  };
  const Result<HttpResponse> got = send(std::move(request));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(memory, "234");
  HttpRequest refused = {.url = server.url("/k")};
  refused.body_target = [](const HttpResponse&) -> Result<BodyTarget> { return aborted("not this one"); };
  EXPECT_EQ(send(std::move(refused)).status().code(), StatusCode::kAborted);
}

TEST_F(HttpClientTest, CollectedBodiesHaveALimit) {
  NginxServer server;
  server.put("k", "0123456789");
  EXPECT_EQ(send({.url = server.url("/k"), .max_body_bytes = 9}).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(send({.url = server.url("/k"), .max_body_bytes = 10})->body, "0123456789");
  const Result<HttpResponse> error_page = send({.url = server.url("/none"), .max_body_bytes = 6});
  ASSERT_TRUE(error_page.ok()) << error_page.status();
  EXPECT_EQ(error_page->body, "<html>");
}

TEST_F(HttpClientTest, RangesAndConditions) {
  NginxServer server;
  server.put("k", "0123456789");
  const Result<HttpResponse> part = send({.url = server.url("/k"), .headers = {{"Range", "bytes=3-5"}}});
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(part->status, 206);
  EXPECT_EQ(part->body, "345");
  EXPECT_EQ(*part->header("Content-Range"), "bytes 3-5/10");
  EXPECT_EQ(send({.url = server.url("/k"), .headers = {{"If-Match", "\"other\""}}})->status, 412);
}

TEST_F(HttpClientTest, Uploads) {
  NginxServer server({.server_lines = "location /up/ { dav_methods PUT DELETE; create_full_put_path on; }"});
  const std::string content = pattern(1'000'000);
  const Result<HttpResponse> put =
      send({.method = "PUT", .url = server.url("/up/k"), .body = std::as_bytes(std::span(content))});
  ASSERT_TRUE(put.ok()) << put.status();
  EXPECT_EQ(put->status, 201);
  EXPECT_EQ(send({.url = server.url("/up/k"), .max_body_bytes = 1 << 21})->body, content);
  EXPECT_EQ(send({.method = "PUT", .url = server.url("/up/empty")})->status, 201);
  EXPECT_EQ(send({.method = "DELETE", .url = server.url("/up/k")})->status, 204);
  EXPECT_EQ(get(server.url("/up/k"))->status, 404);
}

TEST_F(HttpClientTest, ManyRequestsShareFewConnections) {
  NginxServer server;
  server.put("k", pattern(10'000));
  constexpr int kRequests = 500;
  std::counting_semaphore<> answered(0);
  std::atomic<int> wrong = 0;
  for (int i = 0; i < kRequests; ++i) {
    client_.send({.url = server.url("/k")}, [&](Result<HttpResponse> got) {
      wrong += !got.ok() || got->body != pattern(10'000);
      answered.release();
    });
  }
  for (int i = 0; i < kRequests; ++i) {
    answered.acquire();
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(HttpClientTest, CallbacksMaySendMore) {
  NginxServer server;
  server.put("a", "one");
  server.put("b", "two");
  std::string seen;
  std::binary_semaphore done(0);
  client_.send({.url = server.url("/a")}, [&](Result<HttpResponse> first) {
    client_.send({.url = server.url("/b")}, [&, body = first->body](Result<HttpResponse> second) {
      seen = body + " " + second->body;
      done.release();
    });
  });
  done.acquire();
  EXPECT_EQ(seen, "one two");
}

TEST_F(HttpClientTest, TheLastOwnerMayGoInACallback) {
  NginxServer server;
  server.put("k", "x");
  auto own = std::make_shared<HttpClient>(testing::test_options());
  HttpClient& client = *own;
  std::binary_semaphore done(0);
  client.send({.url = server.url("/k")}, [&done, own = std::move(own)](Result<HttpResponse> got) mutable {
    EXPECT_TRUE(got.ok()) << got.status();
    own.reset();
    done.release();
  });
  done.acquire();
}

TEST_F(HttpClientTest, WorksInAForkedChild) {
  if (kIsThreadSanitized) {
    GTEST_SKIP() << "under this sanitizer the child of a program with threads can start none";
  }
  NginxServer server;
  server.put("k", "hello");
  ASSERT_EQ(get(server.url("/k"))->body, "hello");
  for (int child = 0; child < 2; ++child) {
    const pid_t process = ::fork();
    if (process == 0) {
      ::alarm(60);  // a child that hangs is a failure
      const Result<HttpResponse> got = get(server.url("/k"));
      ::_exit(got.ok() && got->body == "hello" ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(wait_for_child(process, &status), process);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(get(server.url("/k"))->body, "hello");
  }
}

TEST_F(HttpClientTest, RefusedConnectionsAreUnavailable) {
  NginxServer server;
  server.stop();
  const Status status = get(server.url("/k?signature=secret")).status();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(message(status).find(server.url("/k")), std::string_view::npos) << status;
  EXPECT_EQ(message(status).find("secret"), std::string_view::npos) << status;
}

TEST_F(HttpClientTest, CertificatesAreVerified) {
  if (!NginxServer::has_tls()) {
    GTEST_SKIP() << "openssl is not installed";
  }
  NginxServer server({.uses_tls = true});
  server.put("k", "hello");
  EXPECT_EQ(get(server.url("/k")).status().code(), StatusCode::kPermissionDenied)
      << get(server.url("/k")).status();
  HttpClientOptions trusting = testing::test_options();
  trusting.ca_file = server.ca_file();
  HttpClient client(trusting);
  const Result<HttpResponse> got = send_now(client, {.url = server.url("/k")});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->body, "hello");
}

}  // namespace
}  // namespace forebay::net
