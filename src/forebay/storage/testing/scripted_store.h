// A driver's store whose server answers each request as a test says.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "forebay/net/client/http_client.h"
#include "forebay/net/testing/scripted_server.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/testing/http_text.h"

namespace forebay::storage {

inline constexpr RetryOptions kRetriesAtOnce = {.max_attempts = 4, .first_delay_ns = 0, .max_delay_ns = 0};

/// Never destroyed: what a store tidies up behind a failed write, which nobody waits for, may come after its
/// test.
inline net::HttpClient& lasting_client() {
  static auto* const client = new net::HttpClient({.stall_timeout_s = 600, .uses_proxy = false});
  return *client;
}

/// `respond` gets each request and its number, from 0; an empty answer closes the connection. It may be asked
/// until the service ends, so a fixture whose members it uses stops it before these are gone.
class ScriptedService {
 public:
  using Respond = std::function<std::string(const std::string& request, int number)>;

  void serve(Respond respond) {
    requests = 0;
    server_.emplace([this, respond = std::move(respond)](net::testing::ScriptedConnection& connection, int) {
      for (std::string request = connection.read_request(); !request.empty();
           request = connection.read_request()) {
        const std::string answer = respond(request, requests++);
        if (answer.empty()) {
          return;
        }
        connection.send(answer);
      }
    });
  }
  /// Returns when nothing is answered any more.
  void stop() { server_.reset(); }
  std::string url(const std::string& path = "") const { return server_->url(path); }

  net::HttpClient& client = lasting_client();
  std::atomic<int> requests = 0;

 private:
  std::optional<net::testing::ScriptedServer> server_;  // last: its threads use the others
};

}  // namespace forebay::storage
