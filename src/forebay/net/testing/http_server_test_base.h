// What tests of the server share: a handler that echoes, and one whose answers a test gives by hand.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/units.h"
#include "forebay/net/server/http_server.h"
#include "forebay/net/testing/raw_client.h"

namespace forebay::net::testing {

inline std::string text_of_body(const ServerRequest& request) {
  return {reinterpret_cast<const char*>(request.body_bytes().data()), request.body_bytes().size()};
}

/// Requests that wait until the test answers them. Thread safe.
class HeldRequests {
 public:
  struct Held {
    ServerRequest request;
    Responder responder;
  };

  void put(ServerRequest request, Responder responder) {
    const MutexLock lock(mutex_);
    held_.push_back({std::move(request), std::move(responder)});
    changed_.notify_all();
  }
  /// The next one, once it has come.
  Held next() {
    UniqueMutexLock lock(mutex_);
    changed_.wait(lock.native(), [&]() FOREBAY_REQUIRES(mutex_) { return !held_.empty(); });
    Held first = std::move(held_.front());
    held_.pop_front();
    return first;
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<Held> held_ FOREBAY_GUARDED_BY(mutex_);
};

class HttpServerTestBase : public ::testing::Test {
 protected:
  /// "/held" waits for the test, "/big" answers 8 MiB, "/dropped" nothing; what begins with "/alike" is of
  /// one kind of answers with what has the same path; "/small" and "/refused" decide on the head; everything
  /// else is told what it asked, and gets its body back.
  HttpHandler handler() {
    return {.admit = [](const RequestHead& head) { return admission_of(head); },
            .handle = [this](ServerRequest request,
                             Responder responder) { handle(std::move(request), std::move(responder)); }};
  }

  void start(ServerOptions options = {}) {
    Result<std::unique_ptr<HttpServer>> started = HttpServer::start(std::move(options), handler());
    ASSERT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
  }
  RawClient connect() const { return RawClient(server_->port()); }
  /// The answer to one request on a connection of its own.
  RawAnswer ask(const std::string& request) const {
    RawClient client = connect();
    client.send(request);
    return client.read_answer();
  }
  bool stop_within(int64_t ms) const { return server_->stop(steady_clock().now_ns() + ms * kMillisecond); }

  static constexpr size_t kBig_bytes = 8 << 20;
  HeldRequests held_;
  std::unique_ptr<HttpServer> server_;

 private:
  static Admission admission_of(const RequestHead& head) {
    Admission admission;
    if (head.target.path == "/small") {
      admission.max_body_bytes = 10;
    } else if (head.target.path == "/refused") {
      admission.refusal = ServerResponse::of_text(404, "there is nothing here");
    } else if (head.target.path.starts_with("/alike")) {
      admission.answer_kind = head.target.path;
    }
    return admission;
  }

  void handle(ServerRequest request, Responder responder) {
    const std::string path = request.head.target.path;
    if (path.ends_with("/held")) {
      return held_.put(std::move(request), std::move(responder));
    }
    if (path == "/dropped") {
      return;
    }
    ServerResponse response;
    if (path.ends_with("/big")) {
      response.append(std::string(kBig_bytes, 'b'));
    } else {
      response.append(fmt::format("{} {}?{}:", request.head.method, path, request.head.target.query));
      if (request.body != nullptr) {
        response.append(request.body);
      }
      response.may_compress = true;
    }
    responder.answer(std::move(response));
  }
};

}  // namespace forebay::net::testing
