// What drivers of remote stores do when their server is not well, or not the one it was: one suite for all of
// them, each with a server that speaks its protocol and fails as the test tells it to. A driver joins with a
// service:
//
//   struct GsService {
//     // The answer to a stat, read or listing of the object "k", the only one.
//     static std::string answer(const std::string& request, const SimulatedObject& object);
//     static std::shared_ptr<ObjectStore> open(const std::string& url, net::HttpClient& client,
//                                              const RetryOptions& retries);
//   };
//   INSTANTIATE_TYPED_TEST_SUITE_P(Gs, RemoteFaults, GsService);
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/units.h"
#include "forebay/net/client/http_client.h"
#include "forebay/net/testing/scripted_server.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/testing/http_text.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/scripted_store.h"

namespace forebay::storage {

struct SimulatedObject {
  std::string content = "0123456789";
  int version = 1;
  bool is_there = true;
  bool ignores_conditions = false;  // the server does
  std::string url;                  // the server's
};

template <class Service>
class RemoteFaults : public ::testing::Test {
 protected:
  using Connection = net::testing::ScriptedConnection;
  /// What becomes of the `number`-th answer, from 0; nullopt: the script has done something to the
  /// connection.
  using Mangle =
      std::function<std::optional<std::string>(std::string answer, int number, Connection& connection)>;

  void serve(Mangle mangle) {
    requests_ = 0;
    server_.emplace([this, mangle = std::move(mangle)](Connection& connection, int) {
      for (std::string request = connection.read_request(); !request.empty();
           request = connection.read_request()) {
        const std::optional<std::string> text = mangle(answer_to(request), requests_++, connection);
        if (!text || !connection.send(*text)) {
          return;
        }
      }
    });
    const MutexLock lock(mutex_);
    object_.url = server_->url("");
    store_ = Service::open(object_.url, client_, {.max_attempts = 1});
    retrying_ =
        Service::open(object_.url, client_,
                      {.max_attempts = 8, .first_delay_ns = 0, .max_delay_ns = 0, .longest_asked_ns = 0});
    patient_ = Service::open(object_.url, client_,
                             {.max_attempts = 2,
                              .patience_ns = 600 * kSecond,
                              .first_delay_ns = 0,
                              .max_delay_ns = 0,
                              .longest_asked_ns = 0});
  }
  void serve_well() {
    serve([](std::string answer, int, Connection&) { return answer; });
  }
  /// Every request gets this answer.
  void serve_always(const std::string& text) {
    serve([text](const std::string&, int, Connection&) { return text; });
  }
  void change(const std::function<void(SimulatedObject&)>& what) {
    const MutexLock lock(mutex_);
    what(object_);
  }

  ReadRequest four_bytes() const { return {.key = "k", .offset_bytes = 2, .length_bytes = 4}; }
  Result<ReadBytes> read(const std::string& if_version = {}, const CallContext& context = {}) {
    ReadRequest request = four_bytes();
    request.if_version = if_version;
    Result<ReadBytes> read = read_now(*store_, std::move(request), context);
    EXPECT_TRUE(read.ok() || message(read.status()).find(store_->uri_of("k")) != std::string_view::npos)
        << read.status();
    return read;
  }
  /// The errors of a read, a stat and a listing.
  std::vector<Status> errors_of_all() {
    return {read().status(), stat_now(*store_, "k").status(), list_now(*store_, {}).status()};
  }
  /// A read that is tried again at once.
  Result<std::string> read_with_retries() {
    FOREBAY_ASSIGN_OR_RETURN(const ReadBytes read, read_now(*retrying_, four_bytes()));
    return text_of(read);
  }

  net::HttpClient& client_ = lasting_client();
  std::atomic<int> requests_ = 0;
  std::shared_ptr<ObjectStore> store_;     // tries once
  std::shared_ptr<ObjectStore> retrying_;  // tries again at once
  std::shared_ptr<ObjectStore> patient_;   // tries again at once, reads for ten minutes

 private:
  std::string answer_to(const std::string& request) {
    const MutexLock lock(mutex_);
    return Service::answer(request, object_);
  }

  Mutex mutex_;
  SimulatedObject object_ FOREBAY_GUARDED_BY(mutex_);
  std::optional<net::testing::ScriptedServer> server_;  // last: its threads use the others
};
TYPED_TEST_SUITE_P(RemoteFaults);

TYPED_TEST_P(RemoteFaults, AServerThatIsWellIsRead) {
  this->serve_well();
  EXPECT_EQ(text_of(*this->read()), "2345");
  const Result<ObjectStat> stat = stat_now(*this->store_, "k");
  ASSERT_TRUE(stat.ok()) << stat.status();
  EXPECT_EQ(stat->size_bytes, 10u);
  EXPECT_EQ(text_of(*this->read(stat->version)), "2345");
  const Result<ListPage> page = list_now(*this->store_, {});
  ASSERT_TRUE(page.ok()) << page.status();
  ASSERT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->objects[0].key, "k");
  EXPECT_EQ(page->objects[0].version, stat->version);
}

TYPED_TEST_P(RemoteFaults, BusyServersSayWhenToComeBack) {
  this->serve_always(reply("503 Service Unavailable", "Retry-After: 7\r\n", ""));
  for (const Status& status : this->errors_of_all()) {
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    EXPECT_EQ(retry_after_ns(status), 7'000'000'000) << status;
  }
}

TYPED_TEST_P(RemoteFaults, RefusalsAreNamed) {
  this->serve_always(reply("403 Forbidden", "", ""));
  for (const Status& status : this->errors_of_all()) {
    EXPECT_EQ(status.code(), StatusCode::kPermissionDenied) << status;
  }
}

TYPED_TEST_P(RemoteFaults, WhatFailsOnceIsTriedAgain) {
  using Connection = net::testing::ScriptedConnection;
  using Answer = std::optional<std::string>;
  const std::function<Answer(std::string, Connection&)> faults[] = {
      [](const std::string&, Connection&) -> Answer { return reply("500 Internal Server Error", "", ""); },
      [](const std::string&, Connection& connection) -> Answer {
        connection.reset();
        return std::nullopt;
      },
      [](const std::string& answer, Connection& connection) -> Answer {  // cut within the body
        connection.send(answer.substr(0, answer.size() - 2));
        return std::nullopt;
      },
      [](const std::string& answer, Connection& connection) -> Answer {  // cut within the head
        connection.send(answer.substr(0, 20));
        return std::nullopt;
      },
      [](const std::string&, Connection&) -> Answer { return "this is not HTTP\r\n\r\n"; }};
  for (const auto& fault : faults) {
    this->serve([&](std::string answer, int number, Connection& connection) {
      return number == 0 ? fault(answer, connection) : Answer(std::move(answer));
    });
    const Result<std::string> content = this->read_with_retries();
    ASSERT_TRUE(content.ok()) << content.status();
    EXPECT_EQ(*content, "2345");
    EXPECT_GE(this->requests_, 2);
  }
}

TYPED_TEST_P(RemoteFaults, AnOutageCostsReadsTimeAndQuestionsTheirAnswer) {
  std::atomic<int> failures_left = 0;
  this->serve([&](const std::string& answer, int, auto&) {
    return failures_left.load() > 0 && failures_left-- > 0 ? reply("503 Service Unavailable", "", "")
                                                           : answer;
  });
  const auto read = [&] { return read_now(*this->patient_, this->four_bytes()).status(); };
  failures_left = 20;
  EXPECT_TRUE(read().ok()) << "it is there from the beginning, if too busy";
  failures_left = 20;
  EXPECT_TRUE(read().ok());
  failures_left = 20;
  EXPECT_TRUE(stat_now(*this->patient_, "k", {.is_for_read = true}).ok());
  failures_left = 20;
  EXPECT_EQ(stat_now(*this->patient_, "k").status().code(), StatusCode::kUnavailable);
}

// The body has the length that the head tells, but that is not the length of the range.
TYPED_TEST_P(RemoteFaults, BodiesOfAnotherLengthAreErrors) {
  this->serve([](std::string answer, int, net::testing::ScriptedConnection&) -> std::optional<std::string> {
    const size_t at = answer.find("Content-Length: 4\r\n");
    if (at != std::string::npos) {
      answer.replace(at, 19, "Content-Length: 3\r\n");
      answer.pop_back();
    }
    return answer;
  });
  EXPECT_EQ(this->read().status().code(), StatusCode::kUnavailable);
}

TYPED_TEST_P(RemoteFaults, ServersThatSayNothingAreLeftAtTheDeadline) {
  this->serve([](const std::string&, int,
                 net::testing::ScriptedConnection& connection) -> std::optional<std::string> {
    connection.wait_until_closed();
    return std::nullopt;
  });
  const CallContext hurried = {.deadline_ns = steady_clock().now_ns() + 50'000'000};
  EXPECT_EQ(this->read({}, hurried).status().code(), StatusCode::kDeadlineExceeded);
}

TYPED_TEST_P(RemoteFaults, BodiesThatStallEndWithTheCall) {
  std::stop_source stop;
  this->serve([&](const std::string& answer, int,
                  net::testing::ScriptedConnection& connection) -> std::optional<std::string> {
    connection.send(answer.substr(0, answer.size() - 2));
    stop.request_stop();
    connection.wait_until_closed();
    return std::nullopt;
  });
  EXPECT_EQ(this->read({}, {.cancellation = stop.get_token()}).status().code(), StatusCode::kCancelled);
}

TYPED_TEST_P(RemoteFaults, AnotherVersionIsNotTakenForTheOneAskedFor) {
  for (const bool ignores : {false, true}) {
    this->serve_well();
    this->change([&](SimulatedObject& object) { object.ignores_conditions = ignores; });
    const Result<ObjectStat> before = stat_now(*this->store_, "k");
    ASSERT_TRUE(before.ok()) << before.status();
    this->change([](SimulatedObject& object) {
      object.content = "abcdefghij";
      ++object.version;
    });
    EXPECT_EQ(this->read(before->version).status().code(), StatusCode::kAborted);
    EXPECT_TRUE(this->read().ok());
  }
}

TYPED_TEST_P(RemoteFaults, ListingsMayBeOlderThanTheObjects) {
  this->serve_well();
  const Result<ListPage> stale = list_now(*this->store_, {});
  ASSERT_TRUE(stale.ok()) << stale.status();
  this->change([](SimulatedObject& object) { object.is_there = false; });
  EXPECT_EQ(this->read(stale->objects.at(0).version).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(this->read().status().code(), StatusCode::kNotFound);
}

TYPED_TEST_P(RemoteFaults, AnswersOfSomethingElseAreErrors) {
  for (const std::string body : {"", "<html>sign in</html>", "{}", "[[[[", "\xff\xfe"}) {
    this->serve_always(reply("200 OK", "", body));
    for (const Status& status : this->errors_of_all()) {
      EXPECT_FALSE(status.ok()) << body;
      EXPECT_NE(status.code(), StatusCode::kNotFound) << status;
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(RemoteFaults, AServerThatIsWellIsRead, BusyServersSayWhenToComeBack,
                            RefusalsAreNamed, WhatFailsOnceIsTriedAgain,
                            AnOutageCostsReadsTimeAndQuestionsTheirAnswer, BodiesOfAnotherLengthAreErrors,
                            ServersThatSayNothingAreLeftAtTheDeadline, BodiesThatStallEndWithTheCall,
                            AnotherVersionIsNotTakenForTheOneAskedFor, ListingsMayBeOlderThanTheObjects,
                            AnswersOfSomethingElseAreErrors);

}  // namespace forebay::storage
