// Tokens and TLS.
#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/net/client/http_client.h"
#include "forebay/net/testing/http_client_test_base.h"
#include "forebay/net/testing/http_server_test_base.h"
#include "forebay/net/testing/nginx_server.h"

namespace forebay::net {
namespace {

using testing::get_request;
using ::testing::HasSubstr;
using testing::NginxServer;
using testing::post_request;
using testing::RawAnswer;
using testing::RawClient;

class HttpServerSecurityTest : public testing::HttpServerTestBase {
 protected:
  ServerOptions with_certificate() const {
    testing::make_certificate(directory_.path());
    return {
        .certificate = {.chain_file = directory_ / "certificate.pem", .key_file = directory_ / "key.pem"}};
  }
  HttpClientOptions trusting() const {
    HttpClientOptions options = testing::test_options();
    options.ca_file = directory_ / "certificate.pem";
    return options;
  }

  TemporaryDirectory directory_;
};

TEST_F(HttpServerSecurityTest, TokensAreAskedFor) {
  start({.bearer_token = "secret", .paths_without_token = {"/live"}});
  RawClient client = connect();
  for (const std::string wrong : {"", "Authorization: Bearer secreT\r\n", "Authorization: Bearer secret2\r\n",
                                  "Authorization: Bearer\r\n", "Authorization: Basic secret\r\n"}) {
    ASSERT_TRUE(client.send(post_request("/", "dropped", wrong)));
    const RawAnswer refused = client.read_answer();
    EXPECT_EQ(refused.status, 401) << wrong;
    EXPECT_THAT(refused.head, HasSubstr("WWW-Authenticate: Bearer"));
  }
  ASSERT_TRUE(client.send(get_request("/", "authorization: bearer  secret \r\n")));
  EXPECT_EQ(client.read_answer().status, 200);
  ASSERT_TRUE(client.send(get_request("/live")));
  EXPECT_EQ(client.read_answer().status, 200);
  ASSERT_TRUE(client.send(get_request("/live/../x")));
  EXPECT_EQ(client.read_answer().status, 401);
}

TEST_F(HttpServerSecurityTest, TlsCarriesLargeBodiesBothWays) {
  if (!NginxServer::has_tls()) {
    GTEST_SKIP() << "openssl is not installed";
  }
  ServerOptions options = with_certificate();
  options.bearer_token = "secret";
  options.address = "*";
  start(std::move(options));
  HttpClient client(trusting());
  const std::string body(3 << 20, 't');
  for (int i = 0; i < 2; ++i) {
    const Result<HttpResponse> got = send_now(client, {.method = "POST",
                                                       .url = server_->url() + "/t",
                                                       .headers = {{"Authorization", "Bearer secret"}},
                                                       .body = std::as_bytes(std::span(body)),
                                                       .max_body_bytes = 16 << 20});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_TRUE(got->body == "POST /t?:" + body);
  }
  EXPECT_EQ(server_->connections(), 1U);
  HttpClient stranger(testing::test_options());
  EXPECT_EQ(send_now(stranger, {.url = server_->url()}).status().code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(stop_within(30'000));
}

TEST_F(HttpServerSecurityTest, WhoDoesNotSpeakTlsIsCutOff) {
  if (!NginxServer::has_tls()) {
    GTEST_SKIP() << "openssl is not installed";
  }
  ServerOptions options = with_certificate();
  options.timeouts = {.header_ms = 40};
  start(std::move(options));
  RawClient plain = connect();
  ASSERT_TRUE(plain.send(get_request("/")));
  EXPECT_TRUE(plain.is_closed());
  RawClient silent = connect();
  EXPECT_TRUE(silent.is_closed());
}

TEST_F(HttpServerSecurityTest, CertificatesThatAreNoneAreNamed) {
  if (!NginxServer::has_tls()) {
    GTEST_SKIP() << "openssl is not installed";
  }
  ServerOptions options = with_certificate();
  std::ofstream(directory_ / "other.pem") << "no certificate";
  options.certificate.chain_file = directory_ / "other.pem";
  const Status status = HttpServer::start(options, handler()).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss);
  EXPECT_THAT(std::string(message(status)), HasSubstr("other.pem"));
}

}  // namespace
}  // namespace forebay::net
