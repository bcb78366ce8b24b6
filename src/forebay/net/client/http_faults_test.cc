// The client against servers that misbehave, and requests that end before they are answered.
#include <algorithm>
#include <chrono>
#include <semaphore>
#include <stop_token>
#include <thread>

#include "forebay/base/clock.h"
#include "forebay/base/testing/no_descriptors.h"
#include "forebay/net/testing/http_client_test_base.h"
#include "forebay/net/testing/scripted_server.h"

namespace forebay::net {
namespace {

using testing::ScriptedConnection;
using testing::ScriptedServer;

/// A server whose every answer is `text`, after which it closes the connection.
ScriptedServer::Script answers(std::string text) {
  return [text = std::move(text)](ScriptedConnection& connection, int) {
    if (!connection.read_request().empty()) {
      connection.send(text);
    }
  };
}

class HttpFaultsTest : public testing::HttpClientTestBase {
 protected:
  StatusCode code_of(const std::string& answer) {
    ScriptedServer server(answers(answer));
    return get(server.url()).status().code();
  }
};

TEST_F(HttpFaultsTest, ATruncatedBodyIsUnavailable) {
  EXPECT_EQ(code_of("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"), StatusCode::kUnavailable);
  EXPECT_EQ(code_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n012"),
            StatusCode::kUnavailable);
  EXPECT_EQ(code_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n"),
            StatusCode::kUnavailable);
}

TEST_F(HttpFaultsTest, ATruncatedHeadIsUnavailable) {
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  for (size_t length = 1; length < answer.size(); ++length) {
    EXPECT_EQ(code_of(answer.substr(0, length)), StatusCode::kUnavailable) << length;
  }
}

TEST_F(HttpFaultsTest, ALengthThatIsTooSmallEndsTheBody) {
  ScriptedServer server(answers("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n0123456789"));
  const Result<HttpResponse> got = get(server.url());
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->body, "012");
}

TEST_F(HttpFaultsTest, WhatIsNotHttpIsUnavailable) {
  EXPECT_EQ(code_of("SSH-2.0-OpenSSH_9.2\r\n"), StatusCode::kUnavailable);
  EXPECT_EQ(code_of("HTTP/1.1 2x0 OK\r\n\r\n"), StatusCode::kUnavailable);
  EXPECT_EQ(code_of(""), StatusCode::kUnavailable);
  EXPECT_EQ(code_of("HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n"), StatusCode::kUnavailable);
}

TEST_F(HttpFaultsTest, PathsGoOutAsTheyAreGiven) {
  std::string request;
  ScriptedServer server([&](ScriptedConnection& connection, int) {
    request = connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  ASSERT_TRUE(get(server.url("/a/../b//./%2E%2e/c?d=/../e")).ok());
  EXPECT_TRUE(request.starts_with("GET /a/../b//./%2E%2e/c?d=/../e HTTP/1.1\r\n")) << request;
}

TEST_F(HttpFaultsTest, AResetIsUnavailable) {
  ScriptedServer server([](ScriptedConnection& connection, int) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01");
    connection.reset();
  });
  EXPECT_EQ(get(server.url()).status().code(), StatusCode::kUnavailable);
}

TEST_F(HttpFaultsTest, AConnectionThatClosedWhileIdleIsNoError) {
  ScriptedServer server(answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  for (int i = 0; i < 20; ++i) {
    const Result<HttpResponse> got = get(server.url());
    ASSERT_TRUE(got.ok()) << got.status();
  }
}

TEST_F(HttpFaultsTest, HeadersHaveLimits) {
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 1000; ++i) {
    many += "X-A: b\r\n";
  }
  EXPECT_EQ(code_of(many + "Content-Length: 0\r\n\r\n"), StatusCode::kResourceExhausted);
  EXPECT_NE(code_of("HTTP/1.1 200 OK\r\nX-A: " + std::string(1 << 20, 'a') + "\r\n\r\n"), StatusCode::kOk);
  std::string interim;
  for (int i = 0; i < 1000; ++i) {
    interim += "HTTP/1.1 103 Early Hints\r\n\r\n";
  }
  EXPECT_EQ(code_of(interim + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            StatusCode::kResourceExhausted);
}

TEST_F(HttpFaultsTest, EndlessHeadersEnd) {
  ScriptedServer server([](ScriptedConnection& connection, int) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\n");
    while (connection.send("X-A: b\r\n")) {
    }
  });
  EXPECT_EQ(get(server.url()).status().code(), StatusCode::kResourceExhausted);
}

TEST_F(HttpFaultsTest, InterimAnswersAndTrailersAreNotTheAnswer) {
  ScriptedServer server(
      answers("HTTP/1.1 103 Early Hints\r\nETag: \"early\"\r\n\r\n"
              "HTTP/1.1 200 OK\r\nETag: \"right\"\r\nTransfer-Encoding: chunked\r\n\r\n"
              "5\r\nhello\r\n0\r\nETag: \"late\"\r\nX-Late: 1\r\n\r\n"));
  const Result<HttpResponse> got = get(server.url());
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "hello");
  EXPECT_EQ(*got->header("ETag"), "\"right\"");
  EXPECT_EQ(got->header("X-Late"), nullptr);
}

TEST_F(HttpFaultsTest, AStalledServerIsUnavailable) {
  ScriptedServer server([](ScriptedConnection& connection, int) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01");
    connection.wait_until_closed();
  });
  HttpClientOptions impatient = testing::test_options();
  impatient.stall_timeout_s = 1;
  HttpClient client(impatient);
  EXPECT_EQ(send_now(client, {.url = server.url()}).status().code(), StatusCode::kUnavailable);
}

TEST_F(HttpFaultsTest, AServerThatNeverBeginsToAnswerIsUnavailable) {
  ScriptedServer server([](ScriptedConnection& connection, int) {
    connection.read_request();
    connection.wait_until_closed();
  });
  const Result<HttpResponse> none = send({.url = server.url(), .stall_timeout_s = 1});
  EXPECT_EQ(none.status().code(), StatusCode::kUnavailable) << none.status();
}

TEST_F(HttpFaultsTest, ARequestMayKeepTheServerBusyForLonger) {
  ScriptedServer server([](ScriptedConnection& connection, int) {
    connection.read_request();
    std::this_thread::sleep_for(std::chrono::seconds(3));
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  HttpClientOptions impatient = testing::test_options();
  impatient.stall_timeout_s = 1;
  HttpClient client(impatient);
  const Result<HttpResponse> late = send_now(client, {.url = server.url(), .stall_timeout_s = 600});
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_EQ(late->body, "ok");
}

TEST_F(HttpFaultsTest, CancellationEndsARequestUnderWay) {
  std::binary_semaphore asked(0);
  std::binary_semaphore closed(0);
  ScriptedServer server([&](ScriptedConnection& connection, int) {
    connection.read_request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01");
    asked.release();
    connection.wait_until_closed();
    closed.release();
  });
  std::stop_source stop;
  std::binary_semaphore answered(0);
  Status status;
  client_.send({.url = server.url(), .cancellation = stop.get_token()}, [&](Result<HttpResponse> got) {
    status = got.status();
    answered.release();
  });
  asked.acquire();
  stop.request_stop();
  answered.acquire();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  closed.acquire();
}

TEST_F(HttpFaultsTest, AStoppedRequestIsNotSent) {
  ScriptedServer server(answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(send({.url = server.url(), .cancellation = stop.get_token()}).status().code(),
            StatusCode::kCancelled);
  EXPECT_EQ(send({.url = server.url(), .deadline_ns = steady_clock().now_ns()}).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(HttpFaultsTest, ADeadlineEndsARequestUnderWay) {
  ScriptedServer server([](ScriptedConnection& connection, int) {
    connection.read_request();
    connection.wait_until_closed();
  });
  EXPECT_EQ(send({.url = server.url(), .deadline_ns = steady_clock().now_ns() + 50'000'000}).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST_F(HttpFaultsTest, AClientThatGoesAnswersWhatIsUnderWay) {
  std::binary_semaphore asked(0);
  ScriptedServer server([&](ScriptedConnection& connection, int) {
    connection.read_request();
    asked.release();
    connection.wait_until_closed();
  });
  HttpClientOptions narrow = testing::test_options();
  narrow.connections_per_host = 1;
  std::vector<StatusCode> codes;
  {
    HttpClient client(narrow);
    for (int i = 0; i < 3; ++i) {  // one under way, two that wait
      client.send({.url = server.url()},
                  [&](Result<HttpResponse> got) { codes.push_back(got.status().code()); });
    }
    asked.acquire();
  }
  EXPECT_EQ(codes, std::vector<StatusCode>(3, StatusCode::kCancelled));
}

TEST_F(HttpFaultsTest, DemandGoesBeforePrefetch) {
  std::binary_semaphore asked(0);
  std::binary_semaphore go_on(0);
  std::vector<std::string> order;
  ScriptedServer server([&](ScriptedConnection& connection, int) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) {
        return;
      }
      order.push_back(request.substr(0, request.find(" HTTP")));
      if (order.size() == 1) {
        asked.release();
        go_on.acquire();
      }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
  });
  HttpClientOptions narrow = testing::test_options();
  narrow.connections_per_host = 1;
  HttpClient client(narrow);
  std::counting_semaphore<> answered(0);
  const auto ask = [&](const char* path, Urgency urgency) {
    client.send({.url = server.url(path), .urgency = urgency},
                [&](const Result<HttpResponse>&) { answered.release(); });
  };
  ask("/first", Urgency::kDemand);
  asked.acquire();
  ask("/last", Urgency::kBulk);
  ask("/later", Urgency::kPrefetch);
  ask("/now", Urgency::kDemand);
  ask("/then", Urgency::kDemand);
  // It is refused in its turn, so the others wait for their connection by then.
  EXPECT_FALSE(send_now(client, {.method = "GET /x", .url = server.url()}).ok());
  go_on.release();
  for (int i = 0; i < 5; ++i) {
    answered.acquire();
  }
  EXPECT_EQ(order,
            (std::vector<std::string>{"GET /first", "GET /now", "GET /then", "GET /later", "GET /last"}));
  EXPECT_EQ(server.connections(), 1);
}

// However long the server keeps bulk work waiting.
TEST_F(HttpFaultsTest, BulkLeavesConnectionsToOthers) {
  std::counting_semaphore<> asked(0);
  std::counting_semaphore<> go_on(0);
  ScriptedServer server([&](ScriptedConnection& connection, int) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) {
        return;
      }
      if (request.starts_with("GET /bulk")) {
        asked.release();
        go_on.acquire();
      }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
  });
  HttpClientOptions narrow = testing::test_options();
  narrow.connections_per_host = 4;
  HttpClient client(narrow);
  constexpr int kBulks = 7;
  std::counting_semaphore<> bulk_answered(0);
  for (int i = 0; i < kBulks; ++i) {
    client.send({.url = server.url("/bulk"), .urgency = Urgency::kBulk},
                [&](const Result<HttpResponse>& got) { bulk_answered.release(got.ok() ? 1 : 0); });
  }
  for (int i = 0; i < 3; ++i) {
    asked.acquire();  // three quarters are at the server, which answers none of them
  }
  for (const Urgency urgency : {Urgency::kDemand, Urgency::kPrefetch}) {
    std::binary_semaphore answered(0);
    client.send({.url = server.url("/wanted"), .urgency = urgency},
                [&](const Result<HttpResponse>& got) { answered.release(got.ok() ? 1 : 0); });
    answered.acquire();
  }
  EXPECT_FALSE(asked.try_acquire());
  go_on.release(kBulks);
  for (int i = 0; i < kBulks; ++i) {
    bulk_answered.acquire();
  }
  EXPECT_EQ(server.connections(), 4);
}

TEST_F(HttpFaultsTest, RequestsThatMustNotBeSentAreRefused) {
  ScriptedServer server(answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  const std::vector<HttpHeader> split = {{"X-A", "b\r\nX-Secret: c"}};
  EXPECT_EQ(send({.url = server.url(), .headers = split}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(send({.url = server.url(), .headers = {{"X A", "b"}}}).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(send({.method = "GET /x", .url = server.url()}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(get("file:///etc/passwd").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(get(server.url() + "\r\nX: y").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(server.connections(), 0);
}

// The loop's own descriptors could not be had. It would sleep through all later requests.
TEST_F(HttpFaultsTest, AClientThatHadNoDescriptorIsWokenLater) {
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  ScriptedServer server(answers(answer));
  {
    const NoDescriptors none;
    EXPECT_EQ(get(server.url()).status().code(), StatusCode::kUnavailable);
  }
  const Result<HttpResponse> got =
      send({.url = server.url(), .deadline_ns = steady_clock().now_ns() + 30'000'000'000});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->body, "ok");
}

}  // namespace
}  // namespace forebay::net
