// What the server does with requests that are as they should be.
#include "forebay/net/server/http_server.h"

#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "forebay/net/client/http_client.h"
#include "forebay/net/testing/http_client_test_base.h"
#include "forebay/net/testing/http_server_test_base.h"

namespace forebay::net {
namespace {

using testing::get_request;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::post_request;
using testing::RawAnswer;
using testing::RawClient;
using testing::text_of_body;

class HttpServerTest : public testing::HttpServerTestBase {};

TEST_F(HttpServerTest, AnswersAndKeepsTheConnection) {
  start();
  RawClient client = connect();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send(get_request("/a%20b?x=1&y=2")));
    const RawAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "GET /a b?x=1&y=2:");
    EXPECT_THAT(answer.head, HasSubstr("\r\nDate: "));
    EXPECT_THAT(answer.head, Not(HasSubstr("Connection:")));
  }
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(HttpServerTest, ALibraryOfClientsUnderstandsIt) {
  start({.io_threads = 2});
  HttpClient client(testing::test_options());
  const std::string body(300'000, 'x');
  const Result<HttpResponse> got = send_now(
      client, {.method = "POST", .url = server_->url() + "/p", .body = std::as_bytes(std::span(body))});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "POST /p?:" + body);
}

TEST_F(HttpServerTest, BodiesComeInOnePieceHoweverTheyAreSent) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send(post_request("/whole", "body")));
  EXPECT_EQ(client.read_answer().body, "POST /whole?:body");
  for (const char byte : post_request("/byte-by-byte", "a body")) {
    ASSERT_TRUE(client.send({&byte, 1}));
  }
  EXPECT_EQ(client.read_answer().body, "POST /byte-by-byte?:a body");
  ASSERT_TRUE(
      client.send("POST /chunks HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "5;ext=1\r\nhello\r\n7\r\n, world\r\n0\r\nX-Trailer: 1\r\n\r\n"));
  EXPECT_EQ(client.read_answer().body, "POST /chunks?:hello, world");
  const std::string large(5 << 20, 'l');
  ASSERT_TRUE(client.send(post_request("/large", large)));
  EXPECT_TRUE(client.read_answer().body == "POST /large?:" + large);
}

TEST_F(HttpServerTest, ManySmallChunksBecomeOneBody) {
  start();
  std::string request = "POST /c HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string body;
  for (int i = 0; i < 20'000; ++i) {
    request += "3\r\nabc\r\n";
    body += "abc";
  }
  EXPECT_TRUE(ask(request + "0\r\n\r\n").body == "POST /c?:" + body);
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInTheirOrder) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/held") + get_request("/second") + get_request("/held?third")));
  auto first = held_.next();
  auto third = held_.next();
  third.responder.answer(ServerResponse::of_text(203, "third"));
  first.responder.answer(ServerResponse::of_text(201, "first"));
  EXPECT_EQ(client.read_answer().body, "first\n");
  EXPECT_EQ(client.read_answer().body, "GET /second?:");
  EXPECT_EQ(client.read_answer().body, "third\n");
}

TEST_F(HttpServerTest, BeyondTheLimitPipelinedRequestsWait) {
  start({.limits = {.requests_per_connection = 2}});
  RawClient client = connect();
  std::string requests;
  for (int i = 0; i < 5; ++i) {
    requests += get_request("/held?" + std::to_string(i));
  }
  ASSERT_TRUE(client.send(requests));
  auto first = held_.next();
  auto second = held_.next();
  for (int i = 0; i < 5; ++i) {
    first.responder.answer(ServerResponse::of_text(200, first.request.head.target.query));
    EXPECT_EQ(client.read_answer().body, std::to_string(i) + "\n");
    first = std::move(second);
    if (i < 3) {
      second = held_.next();
    }
  }
}

TEST_F(HttpServerTest, WhoWaitsIsToldToContinue) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(
      client.send("POST /e HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(client.read_answer().status, 100);
  ASSERT_TRUE(client.send("body"));
  EXPECT_EQ(client.read_answer().body, "POST /e?:body");
  ASSERT_TRUE(client.send(
      "POST /refused HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  const RawAnswer refused = client.read_answer();
  EXPECT_EQ(refused.status, 404);
  EXPECT_THAT(refused.head, HasSubstr("Connection: close"));  // nobody knows whether the body comes
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerTest, HeadHasALengthAndNoBody) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send("HEAD /h HTTP/1.1\r\nHost: test\r\n\r\n" + get_request("/next")));
  const RawAnswer answer = client.read_answer(false);
  EXPECT_THAT(answer.head, HasSubstr("Content-Length: 9"));
  EXPECT_EQ(client.read_answer().body, "GET /next?:");
}

TEST_F(HttpServerTest, OldClientsKeepTheirConnectionIfTheyAskForIt) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  EXPECT_THAT(client.read_answer().head, HasSubstr("Connection: keep-alive"));
  ASSERT_TRUE(client.send("GET /2 HTTP/1.0\r\n\r\n"));
  EXPECT_THAT(client.read_answer().head, HasSubstr("Connection: close"));
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerTest, AnswersComeFromAnyThread) {
  start({.io_threads = 2});
  constexpr int kClients = 8;
  std::vector<RawClient> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(connect());
    ASSERT_TRUE(clients.back().send(post_request("/held", std::to_string(i))));
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([held = std::make_shared<testing::HeldRequests::Held>(held_.next())] {
      held->responder.answer(ServerResponse::of_text(200, text_of_body(held->request)));
    });
  }
  for (int i = 0; i < kClients; ++i) {
    EXPECT_EQ(clients[static_cast<size_t>(i)].read_answer().body, std::to_string(i) + "\n");
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_F(HttpServerTest, LargeAnswersOfManyPiecesArriveWhole) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/held")));
  auto held = held_.next();
  ServerResponse response;
  std::string expected;
  for (int i = 0; i < 300; ++i) {  // more than one call of the system takes
    const std::string piece = std::to_string(i) + std::string(20'000, 'p');
    expected += piece;
    response.append(piece);
    response.append(std::string());
  }
  held.responder.answer(std::move(response));
  EXPECT_TRUE(client.read_answer().body == expected);
}

TEST_F(HttpServerTest, WhatIsDroppedIsAnError) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/dropped") + get_request("/next")));
  EXPECT_EQ(client.read_answer().status, 500);
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(HttpServerTest, HandlersThatThrowAnswer500) {
  Result<std::unique_ptr<HttpServer>> server =
      HttpServer::start({}, {.handle = [](ServerRequest, Responder) { throw std::runtime_error("no"); }});
  ASSERT_TRUE(server.ok());
  RawClient client((*server)->port());
  ASSERT_TRUE(client.send(get_request("/")));
  EXPECT_EQ(client.read_answer().status, 500);
}

TEST_F(HttpServerTest, FieldsThatWouldBeginOthersAreNotSent) {
  start();
  RawClient client = connect();
  for (const HttpHeader& field :
       {HttpHeader{"X-A", "1\r\nX-B: 2"}, HttpHeader{"X A", "1"}, HttpHeader{"", ""}}) {
    ASSERT_TRUE(client.send(get_request("/held")));
    held_.next().responder.answer({.headers = {field}});
    const RawAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 500);
    EXPECT_THAT(answer.head, Not(HasSubstr("X-B")));
  }
}

TEST_F(HttpServerTest, WhoOnlyStopsSendingIsAnswered) {
  start();
  RawClient client = connect();
  ASSERT_TRUE(client.send(get_request("/held") + get_request("/after")));
  client.end_sending();
  auto held = held_.next();
  EXPECT_EQ(client.read_answer().status, 100);  // whether it is still there
  EXPECT_FALSE(held.responder.is_gone());
  held.responder.answer(ServerResponse::of_text(200, "late"));
  EXPECT_EQ(client.read_answer().body, "late\n");
  EXPECT_EQ(client.read_answer().body, "GET /after?:");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerTest, OptionsThatMakeNoSenseAreRefused) {
  const auto code_of = [&](ServerOptions options) {
    return HttpServer::start(std::move(options), handler()).status().code();
  };
  EXPECT_EQ(code_of({.address = "0.0.0.0"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({.address = "*", .bearer_token = "t"}), StatusCode::kInvalidArgument);  // without TLS
  EXPECT_EQ(code_of({.address = "nowhere"}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({.io_threads = 0}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({.certificate = {.chain_file = "a"}}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({.certificate = {.chain_file = "absent", .key_file = "absent"}}), StatusCode::kNotFound);
  EXPECT_EQ(HttpServer::start({}, {}).status().code(), StatusCode::kInvalidArgument);
  start({.address = "*", .allow_open = true});
  EXPECT_EQ(ask(get_request("/")).status, 200);
  EXPECT_EQ(code_of({.address = "*", .port = server_->port(), .allow_open = true}),
            StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace forebay::net
