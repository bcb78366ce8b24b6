#include "forebay/storage/testing/fake_gcs_server.h"

#include <fmt/format.h>

#include <span>

#include "forebay/base/check.h"
#include "forebay/net/client/http_client.h"

namespace forebay::storage {
namespace {

constexpr char kFakeGcsHost[] = "127.0.0.1";

}  // namespace

FakeGcsServer::FakeGcsServer()
    : process_({program(), "-scheme", "http", "-host", kFakeGcsHost, "-port", "0", "-backend", "memory",
                "-log-level", "error"},
               {"HOME=/nonexistent"}),
      port_(process_.wait_for_port()) {
}

FakeGcsServer& FakeGcsServer::shared() {
  static FakeGcsServer server;
  return server;
}

std::string FakeGcsServer::endpoint() const {
  return fmt::format("http://{}:{}", kFakeGcsHost, port_);
}

std::string FakeGcsServer::make_bucket() {
  const std::string name = fmt::format("bucket{}", buckets_++);
  const std::string body = fmt::format(R"({{"name":"{}"}})", name);
  net::HttpClient client({.uses_proxy = false});
  const Result<net::HttpResponse> answer =
      net::send_now(client, {.method = "POST",
                             .url = endpoint() + "/storage/v1/b?project=test",
                             .headers = {{"Content-Type", "application/json"}},
                             .body = std::as_bytes(std::span(body))});
  FOREBAY_CHECK(answer.ok() && answer->is_success());
  return name;
}

}  // namespace forebay::storage
