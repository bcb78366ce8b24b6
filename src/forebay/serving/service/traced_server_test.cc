#include "forebay/serving/service/traced_server.h"

#include <gmock/gmock.h>

#include "forebay/serving/testing/echo_server.h"

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

TEST(TracedServer, RequestsAreSpansWhileTheTraceIsOn) {
  testing::EchoServer echo;
  Trace trace;
  TracedServer server(echo, trace);
  const auto ask = [&](const std::string& model) {
    InferRequest request;
    request.model = model;
    request.id = "seven";
    server.infer(std::move(request), [](const Result<InferResponse>&) {});
  };
  ask("nothing");
  EXPECT_EQ(trace.spans().size(), 0);
  trace.start();
  ask("no \"such\" model");
  trace.stop();
  ASSERT_EQ(trace.spans().size(), 1);
  EXPECT_THAT(trace.spans()[0].arguments, HasSubstr("error"));
  EXPECT_EQ(trace.spans()[0].name, "no \"such\" model");
  EXPECT_THAT(trace.spans()[0].arguments, HasSubstr("seven"));
}

}  // namespace
}  // namespace forebay::serving
