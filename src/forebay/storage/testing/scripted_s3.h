// An S3 store whose server says what a test tells it to.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "forebay/net/testing/scripted_server.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/s3_credentials/credential_sources.h"
#include "forebay/storage/testing/http_text.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/scripted_store.h"

namespace forebay::storage {

using net::testing::ScriptedConnection;
using net::testing::ScriptedServer;

inline std::string failure(const std::string& status, const std::string& code, const std::string& more = {}) {
  return reply(status, "", "<Error><Code>" + code + "</Code><Message>m</Message>" + more + "</Error>");
}

inline std::string range_reply(const std::string& range, const std::string& body,
                               const std::string& etag = "v1") {
  return reply("206 Partial Content", "ETag: \"" + etag + "\"\r\nContent-Range: bytes " + range + "\r\n",
               body);
}

/// Counts the keys that it gives out.
class CountingKeys final : public CredentialsSource {
 public:
  void fetch(CredentialsCallback done) override {
    const std::string id = "key" + std::to_string(fetches++);
    done(std::make_shared<const ExpiringCredentials>(
        ExpiringCredentials{{id, "hidden-secret", "hidden-token"}}));
  }

  int fetches = 0;
};

struct S3Faults : ::testing::Test {
  /// `respond` answers each request; `number` counts them from 0.
  void serve(std::function<std::string(const std::string& request, int number)> respond) {
    serve_connections([this, respond = std::move(respond)](ScriptedConnection& connection, int) {
      for (std::string request = connection.read_request(); !request.empty();
           request = connection.read_request()) {
        connection.send(respond(request, requests++));
      }
    });
  }

  void serve_connections(ScriptedServer::Script script) {
    server.emplace(std::move(script));
    const S3Options options = {.endpoint = server->url(""), .retries = retries};
    const Environment nothing = [](const std::string&) { return std::nullopt; };
    store = std::make_shared<S3Store>(
        std::make_shared<S3Connection>("b", options, *configure_s3(options, nothing, {}), keys, client));
  }

  Status read_error(const ReadRequest& request) {
    const Status status = read_now(*store, request).status();
    EXPECT_NE(message(status).find("s3://b/" + request.key), std::string_view::npos) << status;
    EXPECT_EQ(message(status).find("hidden"), std::string_view::npos) << status;
    return status;
  }

  net::HttpClient& client = lasting_client();
  RetryOptions retries = {.max_attempts = 1};
  std::shared_ptr<CountingKeys> keys = std::make_shared<CountingKeys>();
  std::atomic<int> requests = 0;
  std::optional<ScriptedServer> server;
  std::shared_ptr<S3Store> store;
};

}  // namespace forebay::storage
