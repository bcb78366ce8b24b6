// The door over sockets: what is copied of a request, and who parses it.
#include "forebay/serving/http/http_door.h"

#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/metrics/metrics.h"
#include "forebay/base/units.h"
#include "forebay/memory/copy.h"
#include "forebay/net/client/http_client.h"
#include "forebay/net/testing/raw_client.h"
#include "forebay/serving/testing/echo_server.h"

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

constexpr size_t kTensorBytes = 1 << 20;  // the client copies them once
// Of a body, what may come with its head, and is copied out of the connection's buffer.
constexpr size_t kWithHeadBytes = 64 << 10;

class HttpDoorTest : public ::testing::Test {
 protected:
  HttpDoorTest() {
    ModelMetadata model;
    model.name = "echo";
    models_.add(std::move(model));
    ModelMetadata bytes;
    bytes.name = "bytes";
    bytes.inputs = {{.name = "x", .datatype = Datatype::kBytes, .shape = {1}}};
    bytes.outputs = bytes.inputs;
    models_.add(std::move(bytes));
    Result<std::unique_ptr<HttpDoor>> started = HttpDoor::start(models_, nullptr, {});
    EXPECT_TRUE(started.ok()) << started.status();
    door_ = *std::move(started);
  }

  net::HttpResponse post(const std::string& model, const std::string& body,
                         std::optional<size_t> json_bytes) {
    net::HttpClient client;
    net::HttpRequest request{.method = "POST",
                             .url = door_->url() + "/v2/models/" + model + "/infer",
                             .body = std::as_bytes(std::span(body)),
                             .max_body_bytes = 8 << 20};
    if (json_bytes) {
      request.headers.push_back({"Inference-Header-Content-Length", std::to_string(*json_bytes)});
    }
    const Result<net::HttpResponse> got = send_now(client, std::move(request));
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() ? *got : net::HttpResponse();
  }

  testing::EchoServer models_;
  std::unique_ptr<HttpDoor> door_;
};

std::string input_json(const std::string& name, const std::string& datatype, size_t elements, size_t bytes) {
  return R"({"name":")" + name + R"(","datatype":")" + datatype + R"(","shape":[)" +
         std::to_string(elements) + R"(],"parameters":{"binary_data_size":)" + std::to_string(bytes) + "}}";
}

std::string request_json(const std::string& inputs, size_t padding) {
  return R"({"inputs":[)" + inputs + R"(],"parameters":{"binary_data_output":true,"pad":")" +
         std::string(padding, 'p') + R"("}})";
}

TEST_F(HttpDoorTest, BinaryTensorsAreNotCopiedHoweverLongTheJsonIs) {
  const std::string tensor(kTensorBytes, 't');
  for (const size_t padding : {0, 1, 2, 3, 7, 64}) {
    const std::string json = request_json(input_json("x", "INT64", kTensorBytes / 8, kTensorBytes), padding);
    const uint64_t before = memory::bytes_copied();
    const uint64_t unaligned = counter("serving_unaligned_bytes").value();
    const net::HttpResponse answer = post("echo", json + tensor, json.size());
    EXPECT_EQ(answer.status, 200) << answer.body.substr(0, 200);
    EXPECT_LT(memory::bytes_copied() - before, json.size() + kTensorBytes + kWithHeadBytes) << padding;
    EXPECT_EQ(counter("serving_unaligned_bytes").value(), unaligned);
    EXPECT_TRUE(answer.body.ends_with(tensor));
  }
}

TEST_F(HttpDoorTest, ATensorBehindOneOfOddLengthIsCopiedAndCounted) {
  const std::string json =
      request_json(input_json("a", "UINT8", 3, 3) + "," + input_json("b", "FP32", 4, 16), 0);
  const uint64_t before = counter("serving_unaligned_bytes").value();
  EXPECT_EQ(post("echo", json + "abc" + std::string(16, 'f'), json.size()).status, 200);
  EXPECT_EQ(counter("serving_unaligned_bytes").value() - before, 16U);
}

TEST_F(HttpDoorTest, ABodyThatIsTheOnlyElementIsNotCopied) {
  const std::string picture(kTensorBytes, 'p');
  const uint64_t before = memory::bytes_copied();
  const net::HttpResponse answer = post("bytes", picture, 0);
  EXPECT_EQ(answer.status, 200) << answer.body.substr(0, 200);
  EXPECT_LT(memory::bytes_copied() - before, kTensorBytes + kWithHeadBytes);
  EXPECT_TRUE(answer.body.ends_with(picture));
}

std::string numbers_of_bytes(size_t bytes) {
  std::string numbers = "1";
  while (numbers.size() <= bytes) {
    numbers += ",1";
  }
  return numbers;
}

std::string json_of_numbers(const std::string& numbers) {
  return R"({"inputs":[{"name":"x","datatype":"INT32","shape":[)" + std::to_string(numbers.size() / 2 + 1) +
         R"(],"data":[)" + numbers + "]}]}";
}

TEST_F(HttpDoorTest, LongJsonIsAnsweredAsShortIsAndParsedElsewhere) {
  const std::string numbers = numbers_of_bytes(LargeBodies::kLargeJsonBytes);
  const std::string json = json_of_numbers(numbers);
  const net::HttpResponse answer = post("echo", json, std::nullopt);
  EXPECT_EQ(answer.status, 200) << answer.body.substr(0, 200);
  EXPECT_THAT(answer.body, HasSubstr(numbers));
  const std::thread::id parser = models_.last_thread();
  EXPECT_EQ(post("echo", json_of_numbers("1"), std::nullopt).status, 200);
  EXPECT_NE(models_.last_thread(), parser) << "the thread of the connections has parsed it";
  EXPECT_EQ(post("echo", json.substr(0, json.size() - 1), std::nullopt).status, 400);
  EXPECT_TRUE(door_->stop(steady_clock().now_ns() + 60 * kSecond));
}

// The JSON is so long that the client has closed its side before it is read.
TEST_F(HttpDoorTest, WhoOnlyStopsSendingIsAnswered) {
  models_.hold();
  const std::string numbers = numbers_of_bytes(2 * LargeBodies::kLargeJsonBytes);
  for (const std::string& json : {json_of_numbers(numbers), json_of_numbers("1")}) {
    net::testing::RawClient client(door_->port());
    ASSERT_TRUE(client.send(
        fmt::format("POST /v2/models/echo/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                    json.size(), json)));
    client.end_sending();
    net::testing::RawAnswer answer = client.read_answer();
    ASSERT_EQ(answer.status, 100) << answer.body;  // its end has been seen
    models_.wait_until_held(1);
    models_.release();
    models_.hold();
    answer = client.read_answer();
    ASSERT_EQ(answer.status, 200) << answer.body.substr(0, 200);
  }
}

TEST_F(HttpDoorTest, WhatKeepsItFromStartingIsAnError) {
  const Status taken = HttpDoor::start(models_, nullptr, {.server = {.port = door_->port()}}).status();
  EXPECT_EQ(taken.code(), StatusCode::kAlreadyExists) << taken;
}

}  // namespace
}  // namespace forebay::serving
