// Requests of a client that is told its proxies: which server they come to, whatever the environment says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "forebay/net/client/http_client.h"
#include "forebay/net/testing/scripted_server.h"

namespace forebay::net {
namespace {

using testing::ScriptedConnection;
using testing::ScriptedServer;

constexpr char kAnswer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class HttpProxiesTest : public ::testing::Test {
 protected:
  std::string address() { return proxy_.url(""); }
  /// What came to the proxy first; empty if the request went elsewhere.
  std::string first_line(const HttpProxies& proxies, const std::string& url) {
    seen_.clear();
    HttpClient client({.connect_timeout_ms = 2000, .proxies = proxies});
    send_now(client, {.url = url}).IgnoreError();
    return seen_.substr(0, seen_.find("\r\n"));
  }

  std::string seen_;
  ScriptedServer proxy_{[this](ScriptedConnection& connection, int) {
    seen_ = connection.read_request();
    connection.send(kAnswer);
  }};
};

TEST_F(HttpProxiesTest, EachSchemeHasItsOwn) {
  EXPECT_EQ(first_line({.http = address()}, "http://name.invalid/k"), "GET http://name.invalid/k HTTP/1.1");
  EXPECT_EQ(first_line({.https = address()}, "https://name.invalid/k"), "CONNECT name.invalid:443 HTTP/1.1");
  EXPECT_EQ(first_line({.https = address()}, "http://name.invalid/k"), "");
}

TEST_F(HttpProxiesTest, SomeHostsAreAskedDirectly) {
  EXPECT_EQ(first_line({.http = address(), .not_for = "name.invalid"}, "http://name.invalid/k"), "");
  EXPECT_NE(first_line({.http = address(), .not_for = "name.invalid"}, "http://other.invalid/k"), "");
}

TEST_F(HttpProxiesTest, TheEnvironmentIsNotAsked) {
  ::setenv("http_proxy", address().c_str(), 1);
  EXPECT_EQ(first_line({}, "http://name.invalid/k"), "");
  ::setenv("no_proxy", "name.invalid", 1);
  EXPECT_NE(first_line({.http = address()}, "http://name.invalid/k"), "");
  ::unsetenv("http_proxy");
  ::unsetenv("no_proxy");
}

}  // namespace
}  // namespace forebay::net
