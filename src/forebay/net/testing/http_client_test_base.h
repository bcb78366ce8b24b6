// What tests of the client share.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "forebay/net/client/http_client.h"

namespace forebay::net::testing {

/// A client for servers of the test: past any proxy, with limits that small tests reach.
inline HttpClientOptions test_options() {
  return {.connections_per_host = 8, .stall_timeout_s = 600, .uses_proxy = false};
}

class HttpClientTestBase : public ::testing::Test {
 protected:
  Result<HttpResponse> get(const std::string& url) { return send({.url = url}); }
  Result<HttpResponse> send(HttpRequest request) { return send_now(client_, std::move(request)); }

  HttpClient client_{test_options()};
};

}  // namespace forebay::net::testing
