// Many clients that fetch long answers at once, and take them: none is cut off, and none is refused.
#include <gmock/gmock.h>

#include <deque>
#include <string>
#include <vector>

#include "forebay/base/metrics/metrics.h"
#include "forebay/net/testing/http_server_test_base.h"

namespace forebay::net {
namespace {

using testing::get_request;
using testing::HeldRequests;
using testing::post_request;
using testing::RawAnswer;
using testing::RawClient;

constexpr int kMaxRounds = 100'000;  // of asking, before what is to happen counts as not happening

class HttpServerRoomTest : public testing::HttpServerTestBase {
 protected:
  static constexpr size_t kClients = 17;

  /// Eight answers fit, and of sixteen none is refused. No client is slow.
  void start_small(ServerTimeouts timeouts = {}) {
    timeouts.taking_ms = 600'000;
    start({.limits = {.lying_bytes = 8 * kBig_bytes}, .timeouts = timeouts});
  }
  // The same thread answers what these ask: what came before has been seen once they are answered.
  template <class Condition>
  void ask_until(const Condition& holds) const {
    for (int i = 0; i < kMaxRounds && !holds(); ++i) {
      ASSERT_EQ(ask(get_request("/refused")).status, 404);
    }
    ASSERT_TRUE(holds());
  }
  /// Clients that have all asked before one of them takes anything; in their order.
  void ask_all(const std::string& path, uint64_t count = kClients) {
    const uint64_t before = requests_.value();
    for (uint64_t i = 1; i <= count; ++i) {
      clients_.push_back(connect());
      ASSERT_TRUE(clients_.back().send(get_request(path)));
      ask_until([&] { return requests_.value() - before >= i; });
    }
  }
  void expect_all_whole() {
    for (size_t i = 0; i < clients_.size(); ++i) {
      const RawAnswer answer = clients_[i].read_answer();
      EXPECT_EQ(answer.status, 200) << i;
      EXPECT_EQ(answer.body.size(), kBig_bytes) << i;
    }
    EXPECT_EQ(dropped_.value(), dropped_before_);
    EXPECT_EQ(refused_.value(), refused_before_);
  }
  void answer(HeldRequests::Held held) const {
    ServerResponse response;
    response.append(std::string(kBig_bytes, 'b'));
    held.responder.answer(std::move(response));
  }

  const Counter& requests_ = counter("http_server_requests");
  const Counter& dropped_ = counter("http_server_dropped_readers");
  const Counter& refused_ = counter("http_server_refused_answers");
  const uint64_t dropped_before_ = dropped_.value();
  const uint64_t refused_before_ = refused_.value();
  std::deque<RawClient> clients_;
};

TEST_F(HttpServerRoomTest, ClientsThatFetchLongAnswersAtOnceAllGetThem) {
  start_small();
  ask_all("/alike/big");
  expect_all_whole();
}

TEST_F(HttpServerRoomTest, AlsoWhereNoneIsAnsweredBeforeAllHaveAsked) {
  start_small({.first_answer_ms = 600'000});
  ask_all("/alike/held");
  std::vector<HeldRequests::Held> begun;
  for (uint64_t i = 0; i < AnswerRoom::kFirstAtOnce; ++i) {
    begun.push_back(held_.next());
  }
  for (HeldRequests::Held& held : begun) {
    answer(std::move(held));
  }
  for (size_t i = 0; i < AnswerRoom::kFirstAtOnce; ++i) {
    EXPECT_EQ(clients_[i].read_answer().body.size(), kBig_bytes) << i;
  }
  clients_.erase(clients_.begin(), clients_.end() - 1);
  answer(held_.next());
  expect_all_whole();
}

TEST_F(HttpServerRoomTest, OneThatHasWaitedLongBeginsAllTheSame) {
  start_small({.room_ms = 1});
  ask_all("/alike/big", 8);
  ask_all("/alike/held", 1);  // of another kind: nothing is known of it
  HeldRequests::Held other = held_.next();
  RawClient waiting = connect();
  ASSERT_TRUE(waiting.send(get_request("/alike/big")));
  EXPECT_EQ(waiting.read_answer().body.size(), kBig_bytes);
  answer(std::move(other));
  expect_all_whole();
}

TEST_F(HttpServerRoomTest, TheBodyOfOneThatLeavesIsLetGo) {
  const auto bodies = Budget::create(1000);
  start({.limits = {.lying_bytes = kBig_bytes}, .timeouts = {.taking_ms = 600'000}, .bodies = bodies});
  ask_all("/alike/big", 1);
  RawClient waiting = connect();
  ASSERT_TRUE(waiting.send(post_request("/alike/big", std::string(900, 'b'))));
  ask_until([&] { return bodies->working_bytes() == 900; });
  waiting.reset();
  ask_until([&] { return bodies->working_bytes() == 0; });
  expect_all_whole();
}

TEST_F(HttpServerRoomTest, OnesThatWaitEndWithTheServer) {
  start({.limits = {.lying_bytes = kBig_bytes}, .timeouts = {.taking_ms = 600'000}});
  ask_all("/alike/big", 2);
  EXPECT_FALSE(stop_within(0));
  EXPECT_EQ(clients_.back().read_answer().status, 0);
}

}  // namespace
}  // namespace forebay::net
