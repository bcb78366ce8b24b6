#include "forebay/net/testing/http_client_test_base.h"
#include "forebay/net/testing/nginx_server.h"
#include "forebay/net/testing/scripted_server.h"

namespace forebay::net {
namespace {

using testing::NginxServer;
using testing::ScriptedConnection;
using testing::ScriptedServer;

constexpr char kOk[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

std::string redirect_to(const std::string& location, int status = 302) {
  return "HTTP/1.1 " + std::to_string(status) + " Found\r\nLocation: " + location +
         "\r\nContent-Length: 4\r\n\r\ngone";
}

class HttpRedirectTest : public testing::HttpClientTestBase {};

TEST_F(HttpRedirectTest, AreFollowedOnRequest) {
  ScriptedServer server([](ScriptedConnection& connection, int) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) {
        return;
      }
      connection.send(request.starts_with("GET /new/x ") ? kOk : redirect_to("/new/x"));
    }
  });
  std::string memory(2, '\0');
  const Result<HttpResponse> got =
      send({.url = server.url("/old"), .into = std::as_writable_bytes(std::span(memory))});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(memory, "ok");  // and nothing of the redirect's own body
  EXPECT_EQ(got->url, server.url("/new/x"));
  const Result<HttpResponse> kept = send({.url = server.url("/old"), .follow_redirects = false});
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->status, 302);
  EXPECT_EQ(*kept->header("Location"), "/new/x");
}

TEST_F(HttpRedirectTest, CirclesEnd) {
  ScriptedServer server([](ScriptedConnection& connection, int) {
    while (!connection.read_request().empty()) {
      connection.send(redirect_to("/again"));
    }
  });
  EXPECT_EQ(get(server.url()).status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(HttpRedirectTest, SecretsStayWithTheirHost) {
  std::string seen;
  ScriptedServer other([&](ScriptedConnection& connection, int) {
    seen = connection.read_request();
    connection.send(kOk);
  });
  ScriptedServer server([&](ScriptedConnection& connection, int) {
    connection.read_request();
    connection.send(redirect_to(other.url("/x")));
  });
  const std::string url = "http://user:password@127.0.0.1:" + std::to_string(server.port()) + "/k";
  const Result<HttpResponse> got =
      send({.url = url,
            .headers = {{"Authorization", "Bearer secret"}, {"X-Token", "secret"}, {"Range", "bytes=0-1"}}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_NE(seen.find("Range: bytes=0-1"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("secret"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("Authorization"), std::string::npos) << seen;
}

TEST_F(HttpRedirectTest, LeadNowhereElse) {
  for (const char* location : {"file:///etc/passwd", "gopher://127.0.0.1/", "http://", ":"}) {
    ScriptedServer server([&](ScriptedConnection& connection, int) {
      connection.read_request();
      connection.send(redirect_to(location));
    });
    const Result<HttpResponse> got = get(server.url());
    EXPECT_FALSE(got.ok() && got->status == 200) << location;
  }
}

TEST_F(HttpRedirectTest, BodiesAreSentAgainOnlyWhereTheServerSaysSo) {
  std::vector<std::string> requests;
  ScriptedServer server([&](ScriptedConnection& connection, int) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) {
        return;
      }
      requests.push_back(request);
      connection.send(request.find(" /new ") != std::string::npos   ? std::string(kOk)
                      : request.find(" /307 ") != std::string::npos ? redirect_to("/new", 307)
                                                                    : redirect_to("/new", 302));
    }
  });
  const std::string body = "the body";
  HttpRequest request = {.method = "PUT", .url = server.url("/307"), .body = std::as_bytes(std::span(body))};
  EXPECT_EQ(send({.method = "PUT", .url = server.url("/307"), .body = request.body})->status, 200);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_TRUE(requests[1].starts_with("PUT /new ")) << requests[1];
  EXPECT_TRUE(requests[1].ends_with(body)) << requests[1];
  EXPECT_EQ(send({.method = "PUT", .url = server.url("/302"), .body = request.body})->status, 302);
}

TEST_F(HttpRedirectTest, NoneLeavesHttps) {
  if (!NginxServer::is_installed() || !NginxServer::has_tls()) {
    GTEST_SKIP() << "nginx or openssl is not installed";
  }
  NginxServer server(
      {.server_lines = "location /old { return 302 http://localhost/new; }", .uses_tls = true});
  HttpClientOptions trusting = testing::test_options();
  trusting.ca_file = server.ca_file();
  HttpClient client(trusting);
  EXPECT_EQ(send_now(client, {.url = server.url("/old")}).status().code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace forebay::net
