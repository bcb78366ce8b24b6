// Requests, clients and loads that the server refuses.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <deque>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "forebay/base/metrics/metrics.h"
#include "forebay/base/testing/no_descriptors.h"
#include "forebay/net/testing/http_server_test_base.h"

namespace forebay::net {
namespace {

using testing::get_request;
using ::testing::HasSubstr;
using testing::post_request;
using testing::RawAnswer;
using testing::RawClient;

constexpr int kMaxRounds = 100'000;  // of asking, before what is to happen counts as not happening

class HttpServerLimitsTest : public testing::HttpServerTestBase {
 protected:
  /// The status of the answer to a request after which the connection is closed.
  int last_status(const std::string& request) {
    RawClient client = connect();
    client.send(request);
    const RawAnswer answer = client.read_answer();
    EXPECT_THAT(answer.head, HasSubstr("Connection: close")) << request;
    EXPECT_TRUE(client.is_closed()) << request;
    return answer.status;
  }

  // The same thread answers what these ask: what came before has been seen once they are answered.
  template <class Condition>
  void ask_until(const Condition& holds) const {
    for (int i = 0; i < kMaxRounds && !holds(); ++i) {
      ASSERT_EQ(ask(get_request("/refused")).status, 404);
    }
    ASSERT_TRUE(holds());
  }
  void wait_for_requests(uint64_t count) const {
    ask_until([&] { return requests_.value() - requests_before_ >= count; });
  }
  void wait_for_drops(uint64_t count) const {
    ask_until([&] { return counter("http_server_dropped_readers").value() >= count; });
  }

  /// Of a client that takes nothing, after its first request.
  void expect_next_is_not_begun() {
    RawClient client = connect();
    ASSERT_TRUE(client.send(get_request("/big") + get_request("/next")));
    wait_for_requests(1);
    EXPECT_EQ(ask(get_request("/other")).status, 200);
    EXPECT_EQ(requests_.value() - requests_before_, 2U);
    EXPECT_EQ(client.read_answer().body.size(), kBig_bytes);
    EXPECT_EQ(client.read_answer().body, "GET /next?:");
  }

  const Counter& requests_ = counter("http_server_requests");
  const uint64_t requests_before_ = requests_.value();
};

TEST_F(HttpServerLimitsTest, WhatIsNotHttpIsRefused) {
  start();
  for (const std::string request :
       {"nonsense\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET nothing HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n"}) {
    EXPECT_EQ(last_status(request), 400) << request;
  }
  EXPECT_EQ(last_status("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(last_status("GET / HTTP/1.1\nHost: a\n\n"), 505);
  EXPECT_EQ(last_status("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"), 501);
  EXPECT_EQ(last_status("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n"), 501);
  EXPECT_EQ(last_status("CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n"), 501);
  EXPECT_EQ(last_status("GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n"), 417);
}

TEST_F(HttpServerLimitsTest, HeadersHaveLimits) {
  start({.limits = {.header_bytes = 4096, .header_fields = 10}});
  const uint64_t before = counter("http_server_refused_header").value();
  EXPECT_EQ(last_status(get_request("/", "X-Long: " + std::string(5000, 'a') + "\r\n")), 431);
  EXPECT_EQ(last_status("GET /" + std::string(5000, 'a')), 431);
  std::string many;
  for (int i = 0; i < 10; ++i) {
    many += "X-A: b\r\n";
  }
  EXPECT_EQ(last_status(get_request("/", many)), 431);
  EXPECT_EQ(counter("http_server_refused_header").value() - before, 3U);
  EXPECT_EQ(last_status("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                        std::string(9000, 'e')),
            431);
  EXPECT_EQ(ask(get_request("/", "X-Fits: " + std::string(3000, 'a') + "\r\n")).status, 200);
}

TEST_F(HttpServerLimitsTest, AClientThatTakesNothingIsNotAskedForMore) {
  start({.limits = {.lying_bytes_per_connection = 1 << 20}});
  expect_next_is_not_begun();
}

TEST_F(HttpServerLimitsTest, NorIsOneWhoseAnswersLieWhileThoseOfAllAreTooMany) {
  start({.limits = {.lying_bytes = 6 << 20}, .timeouts = {.taking_ms = 600'000}});
  expect_next_is_not_begun();
}

// One of two clients that take nothing: without it, few enough bytes lie.
TEST_F(HttpServerLimitsTest, WhoHoldsMostIsDroppedWhereTooManyBytesLie) {
  start({.limits = {.lying_bytes = 28 << 20},
         .timeouts = {.taking_ms = 50, .least_taken_bytes_per_s = uint64_t{1} << 40}});
  const uint64_t before = counter("http_server_dropped_readers").value();
  RawClient most = connect();
  ASSERT_TRUE(most.send(get_request("/big") + get_request("/big") + get_request("/held")));
  auto held = held_.next();
  RawClient less = connect();
  ASSERT_TRUE(less.send(get_request("/big")));
  wait_for_requests(4);
  EXPECT_EQ(counter("http_server_dropped_readers").value(), before);  // not too many yet
  ServerResponse last;
  last.append(std::string(kBig_bytes, 'b'));
  held.responder.answer(std::move(last));
  wait_for_drops(before + 1);
  EXPECT_TRUE(most.is_closed());
  EXPECT_LT(most.rest().size(), kBig_bytes);
  EXPECT_EQ(less.read_answer().body.size(), kBig_bytes);
  EXPECT_EQ(counter("http_server_dropped_readers").value() - before, 1U);
}

TEST_F(HttpServerLimitsTest, AnswersBehindARequestWithoutOneCountToo) {
  start({.limits = {.lying_bytes = 4 << 20}, .timeouts = {.taking_ms = 50}});
  const uint64_t before = counter("http_server_dropped_readers").value();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/held") + get_request("/big")));
  auto held = held_.next();
  wait_for_drops(before + 1);
  EXPECT_TRUE(client.is_closed());
  EXPECT_TRUE(held.responder.is_gone());
}

// Each alone would be given the time it needs. Nothing is known of their lengths before.
TEST_F(HttpServerLimitsTest, AnAnswerForWhichThereIsNoRoomIsRefused) {
  start({.limits = {.lying_bytes = 2 * kBig_bytes}, .timeouts = {.taking_ms = 600'000}});
  const uint64_t dropped = counter("http_server_dropped_readers").value();
  const uint64_t refused = counter("http_server_refused_answers").value();
  std::deque<RawClient> clients;
  for (uint64_t i = 1; i <= 8; ++i) {
    clients.push_back(connect());
    ASSERT_TRUE(clients.back().send(get_request("/big")));
    wait_for_requests(i);
  }
  EXPECT_EQ(ask(get_request("/")).status, 200);  // small ones have room
  for (size_t i = 0; i < clients.size(); ++i) {
    const RawAnswer answer = clients[i].read_answer();
    EXPECT_EQ(answer.status, i < 4 ? 200 : 503) << i;
    EXPECT_EQ(answer.body.size() == kBig_bytes, i < 4) << i;
  }
  ASSERT_TRUE(clients.back().send(get_request("/big")));  // its connection has gone on
  EXPECT_EQ(clients.back().read_answer().status, 200);
  EXPECT_EQ(counter("http_server_dropped_readers").value(), dropped);
  EXPECT_EQ(counter("http_server_refused_answers").value() - refused, 4U);
}

TEST_F(HttpServerLimitsTest, BodiesHaveLimits) {
  start({.limits = {.body_bytes = 100}});
  EXPECT_EQ(ask(post_request("/", std::string(100, 'b'))).status, 200);
  const std::string chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  RawClient client = connect();
  for (const std::string& request :
       {post_request("/", std::string(101, 'b')),
        chunked + "65\r\n" + std::string(101, 'b') + "\r\n0\r\n\r\n", post_request("/small", "01234567890"),
        chunked + "50\r\n" + std::string(80, 'b') + "\r\n50\r\n" + std::string(80, 'b') + "\r\n0\r\n\r\n"}) {
    ASSERT_TRUE(client.send(request));
    EXPECT_EQ(client.read_answer().status, 413) << request;
  }
  // Bodies that are short enough were dropped, and the connection goes on.
  ASSERT_TRUE(client.send(post_request("/small", "0123456789")));
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(HttpServerLimitsTest, LongBodiesThatNobodyWantsEndTheConnection) {
  start({.limits = {.body_bytes = 100, .discarded_bytes = 1000}});
  EXPECT_EQ(last_status("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n"), 413);
  EXPECT_EQ(last_status("POST /refused HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n" +
                        std::string(60'000, 'b')),
            404);
  EXPECT_EQ(ask(post_request("/refused", std::string(100, 'b'))).status, 404);
}

TEST_F(HttpServerLimitsTest, BodiesUnderWayShareABudget) {
  const auto budget = Budget::create(1000);
  start({.bodies = budget});
  RawClient first = connect();
  ASSERT_TRUE(first.send(post_request("/held", std::string(900, 'b'))));
  auto held = held_.next();
  EXPECT_EQ(budget->working_bytes(), 900U);
  RawClient second = connect();
  ASSERT_TRUE(second.send(post_request("/", std::string(200, 'b'))));
  const RawAnswer refused = second.read_answer();
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.head, HasSubstr("Retry-After: 1"));
  held.request.body.reset();
  held.responder.answer({});
  EXPECT_EQ(first.read_answer().status, 200);
  ASSERT_TRUE(second.send(post_request("/", std::string(200, 'b'))));
  EXPECT_EQ(second.read_answer().status, 200);
}

TEST_F(HttpServerLimitsTest, OneConnectionTooManyIsTold) {
  start({.limits = {.connections = 2}});
  RawClient first = connect();
  RawClient second = connect();
  for (RawClient* const client : {&first, &second}) {
    ASSERT_TRUE(client->send(get_request("/")));
    EXPECT_EQ(client->read_answer().status, 200);
  }
  RawClient third = connect();
  EXPECT_EQ(third.read_answer().status, 503);
  EXPECT_TRUE(third.is_closed());
  first.close();
  const int64_t patience_ns = steady_clock().now_ns() + 30 * kSecond;
  int status = 503;
  while (status != 200 && steady_clock().now_ns() < patience_ns) {
    RawClient again = connect();
    again.send(get_request("/"));
    status = again.read_answer().status;
  }
  EXPECT_EQ(status, 200);
}

TEST_F(HttpServerLimitsTest, SlowHeadersEnd) {
  start({.timeouts = {.header_ms = 40}});
  EXPECT_EQ(last_status("GET / HTTP/1.1\r\nHost"), 408);
  RawClient silent = connect();
  EXPECT_TRUE(silent.is_closed());
}

TEST_F(HttpServerLimitsTest, IdleConnectionsEnd) {
  start({.timeouts = {.idle_ms = 40}});
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/")));
  EXPECT_EQ(client.read_answer().status, 200);
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(client.rest(), "");
}

TEST_F(HttpServerLimitsTest, WhoWaitsForItsAnswerIsNotIdle) {
  start({.timeouts = {.header_ms = 40, .idle_ms = 40, .progress_ms = 40}});
  RawClient waiting = connect();
  ASSERT_TRUE(waiting.send(get_request("/held")));
  auto held = held_.next();
  RawClient idle = connect();  // as old as that, and cut off: so the time has passed
  ASSERT_TRUE(idle.send(get_request("/")));
  EXPECT_EQ(idle.read_answer().status, 200);
  EXPECT_TRUE(idle.is_closed());
  held.responder.answer(ServerResponse::of_text(200, "at last"));
  EXPECT_EQ(waiting.read_answer().body, "at last\n");
}

TEST_F(HttpServerLimitsTest, SlowBodiesEnd) {
  start({.timeouts = {.progress_ms = 40, .least_bytes_per_s = 1000}});
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n";
  EXPECT_EQ(last_status(head + "few"), 408);
  EXPECT_EQ(last_status("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 408);
}

TEST_F(HttpServerLimitsTest, WhoDoesNotReadIsCutOff) {
  start({.timeouts = {.progress_ms = 40}});
  const uint64_t before = counter("http_server_refused_slow").value();
  RawClient client = connect();
  const int small = 4096;
  ASSERT_EQ(setsockopt(client.descriptor(), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
  std::string requests;
  for (int i = 0; i < 4; ++i) {
    requests += get_request("/big");
  }
  ASSERT_TRUE(client.send(requests));
  pollfd watched = {client.descriptor(), POLLRDHUP, 0};
  EXPECT_GT(poll(&watched, 1, 60'000), 0);
  EXPECT_EQ(counter("http_server_refused_slow").value() - before, 1U);
}

TEST_F(HttpServerLimitsTest, WithoutDescriptorsConnectionsWait) {
  start();
  RawClient known = connect();
  ASSERT_TRUE(known.send(get_request("/")));
  EXPECT_EQ(known.read_answer().status, 200);
  std::optional<RawClient> waiting;
  {
    // The client's socket is made before, and only connected once the server has no descriptor left.
    std::optional<FileDescriptor> lent(dup(STDERR_FILENO));
    const NoDescriptors none;
    lent.reset();
    waiting.emplace(server_->port());  // takes the only one
    ASSERT_TRUE(waiting->send(get_request("/waiting")));
    ASSERT_TRUE(known.send(get_request("/known")));
    EXPECT_EQ(known.read_answer().status, 200);
  }
  EXPECT_EQ(waiting->read_answer().body, "GET /waiting?:");
}

size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST_F(HttpServerLimitsTest, StartsWhollyOrNotAtAll) {
  if (checks_types_by_descriptors()) {
    GTEST_SKIP() << "the sanitizer opens descriptors itself";
  }
  const size_t before = open_descriptors();
  size_t failed = 0;
  bool has_started = false;
  for (size_t left = 0; left < 40 && !has_started; ++left) {
    std::vector<FileDescriptor> lent;
    for (size_t i = 0; i < left; ++i) {
      lent.emplace_back(dup(STDERR_FILENO));
    }
    const NoDescriptors none;
    lent.clear();
    const Result<std::unique_ptr<HttpServer>> started = HttpServer::start({.io_threads = 2}, handler());
    has_started = started.ok();
    if (!has_started) {
      EXPECT_EQ(started.status().code(), StatusCode::kResourceExhausted) << started.status();
      ++failed;
    }
  }
  EXPECT_TRUE(has_started);
  EXPECT_GT(failed, 3U);  // the sockets, and what its two loops need
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(HttpServerLimitsTest, TwoThousandConnectionsAtOnce) {
  constexpr size_t kConnections = 2000;
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit more = before;
  more.rlim_cur = std::max<rlim_t>(before.rlim_cur, 2 * kConnections + 200);
  if (more.rlim_cur > more.rlim_max || setrlimit(RLIMIT_NOFILE, &more) != 0) {
    GTEST_SKIP() << "this process may not open " << more.rlim_cur << " files";
  }
  start({.io_threads = 2});
  {
    std::deque<RawClient> clients;
    for (size_t i = 0; i < kConnections; ++i) {
      clients.push_back(connect());
    }
    for (int round = 0; round < 2; ++round) {
      for (size_t i = 0; i < kConnections; ++i) {
        ASSERT_TRUE(clients[i].send(get_request("/" + std::to_string(i)))) << i;
      }
      for (size_t i = 0; i < kConnections; ++i) {
        ASSERT_EQ(clients[i].read_answer().body, "GET /" + std::to_string(i) + "?:");
      }
    }
    EXPECT_EQ(server_->connections(), kConnections);
  }
  server_.reset();
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace forebay::net
