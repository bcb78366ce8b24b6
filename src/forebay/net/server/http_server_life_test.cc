// Clients that go, servers that end, and forks.
#include <gmock/gmock.h>
#include <unistd.h>

#include <semaphore>
#include <string>
#include <thread>

#include "forebay/base/testing/wait_for_child.h"
#include "forebay/net/testing/http_server_test_base.h"

namespace forebay::net {
namespace {

using testing::get_request;
using ::testing::HasSubstr;
using testing::post_request;
using testing::RawAnswer;
using testing::RawClient;

class HttpServerLifeTest : public testing::HttpServerTestBase {};

/// Waits until the client of a request has gone.
void wait_until_gone(Responder* responder) {
  const auto gone = std::make_shared<std::binary_semaphore>(0);
  responder->on_gone([gone] { gone->release(); });
  EXPECT_TRUE(gone->try_acquire_for(std::chrono::minutes(1)));
}

TEST_F(HttpServerLifeTest, WhoAnswersLearnsThatTheClientHasGone) {
  start();
  for (const bool is_reset : {false, true}) {
    RawClient client = connect();
    ASSERT_TRUE(client.send(post_request("/held", "body")));
    auto held = held_.next();
    EXPECT_FALSE(held.responder.is_gone());
    if (is_reset) {
      client.reset();
    } else {
      client.close();
    }
    wait_until_gone(&held.responder);
    EXPECT_TRUE(held.responder.is_gone());
    wait_until_gone(&held.responder);  // told at once
    held.responder.answer(ServerResponse::of_text(200, "nobody reads this"));
  }
  EXPECT_EQ(ask(get_request("/")).status, 200);
}

TEST_F(HttpServerLifeTest, AfterTheAnswerNobodyIsTold) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/held")));
  auto held = held_.next();
  const auto owned = std::make_shared<int>(0);
  held.responder.on_gone([owned] { ++*owned; });
  held.responder.answer({});
  EXPECT_EQ(client.read_answer().status, 200);
  EXPECT_EQ(owned.use_count(), 1);
  client.close();
  EXPECT_TRUE(stop_within(30'000));
  EXPECT_EQ(*owned, 0);
}

TEST_F(HttpServerLifeTest, ClientsThatDieInTheirBodyLeaveNothing) {
  const auto budget = Budget::create(1 << 20);
  start({.bodies = budget});
  {
    RawClient client = connect();
    ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nthe begin"));
    RawClient resetting = connect();
    ASSERT_TRUE(resetting.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nthe begin"));
    resetting.reset();
  }
  EXPECT_EQ(ask(post_request("/", "whole")).status, 200);
  EXPECT_TRUE(stop_within(30'000));
  EXPECT_EQ(budget->working_bytes(), 0U);
}

TEST_F(HttpServerLifeTest, AServerThatStopsAnswersWhatIsUnderWay) {
  start({.io_threads = 2});
  RawClient busy = connect();
  ASSERT_TRUE(busy.send(get_request("/held")));
  auto held = held_.next();
  RawClient receiving = connect();  // half a request
  ASSERT_TRUE(receiving.send(get_request("/known") +
                             "POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo"));
  EXPECT_EQ(receiving.read_answer().status, 200);
  RawClient idle = connect();
  ASSERT_TRUE(idle.send(get_request("/")));
  EXPECT_EQ(idle.read_answer().status, 200);

  std::thread stopping([this] { EXPECT_TRUE(stop_within(60'000)); });
  EXPECT_TRUE(idle.is_closed());
  EXPECT_EQ(idle.rest(), "");
  ASSERT_TRUE(receiving.send("dy"));
  auto second = held_.next();
  EXPECT_EQ(testing::text_of_body(second.request), "body");
  for (auto* const one : {&held, &second}) {
    one->responder.answer(ServerResponse::of_text(200, "answered"));
  }
  for (RawClient* const client : {&busy, &receiving}) {
    const RawAnswer answer = client->read_answer();
    EXPECT_EQ(answer.body, "answered\n");
    EXPECT_THAT(answer.head, HasSubstr("Connection: close"));
    EXPECT_TRUE(client->is_closed());
    client->close();
  }
  stopping.join();
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_TRUE(stop_within(0));
}

TEST_F(HttpServerLifeTest, TheDeadlineEndsAServerThatStops) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/held")));
  auto held = held_.next();
  EXPECT_FALSE(stop_within(20));
  EXPECT_TRUE(client.is_closed());
  EXPECT_TRUE(held.responder.is_gone());
  server_.reset();
  held.responder.answer(ServerResponse::of_text(200, "too late"));  // and nothing happens
}

TEST_F(HttpServerLifeTest, DestroyedServersLeaveRespondersThatDoNothing) {
  std::optional<testing::HeldRequests::Held> held;
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/held") + get_request("/held")));
  held = held_.next();
  const auto dropped = held_.next();
  server_.reset();
  EXPECT_TRUE(client.is_closed());
  EXPECT_TRUE(held->responder.is_gone());
  held.reset();
}

TEST_F(HttpServerLifeTest, APortIsFreeAfterTheServer) {
  start();
  const uint16_t port = server_->port();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/")));
  EXPECT_EQ(client.read_answer().status, 200);
  server_.reset();
  start({.port = port});
  EXPECT_EQ(ask(get_request("/")).status, 200);
}

TEST_F(HttpServerLifeTest, AForkedChildLeavesItAlone) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/held")));
  std::optional<testing::HeldRequests::Held> held = held_.next();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    held.reset();  // unanswered
    const bool is_stopped = server_->stop(INT64_MAX);
    server_.reset();
    _exit(is_stopped ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_EQ(status, 0);
  held->responder.answer(ServerResponse::of_text(200, "from the parent"));
  EXPECT_EQ(client.read_answer().body, "from the parent\n");
}

TEST_F(HttpServerLifeTest, ClientsSeeTheEndThoughAChildHasTheSocket) {
  start();
  const uint16_t port = server_->port();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/")));
  EXPECT_EQ(client.read_answer().status, 200);
  const pid_t child = fork();
  if (child == 0) {
    client.close();
    alarm(60);
    pause();
    _exit(0);
  }
  server_.reset();
  EXPECT_TRUE(client.is_closed());
  start({.port = port});  // nor does the child listen
  EXPECT_EQ(ask(get_request("/")).status, 200);
  end_child(child);
}

}  // namespace
}  // namespace forebay::net
