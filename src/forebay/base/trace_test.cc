#include "forebay/base/trace.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace forebay {
namespace {

TEST(TraceTest, IsOffUntilStarted) {
  SteppedClock clock;
  Trace trace(clock);
  { TraceScope scope(trace, "test", "unseen"); }
  EXPECT_TRUE(trace.spans().empty());
  trace.start();
  {
    TraceScope scope(trace, "test", "seen");
    clock.advance_ns(1500);
  }
  trace.stop();
  { TraceScope scope(trace, "test", "unseen"); }
  ASSERT_EQ(trace.spans().size(), 1);
  EXPECT_EQ(trace.spans()[0].name, "seen");
  EXPECT_EQ(trace.spans()[0].end_ns - trace.spans()[0].begin_ns, 1500);
  trace.clear();
  EXPECT_TRUE(trace.spans().empty());
}

TEST(TraceTest, WritesJsonThatParses) {
  const std::string path = testing::TempDir() + "forebay_trace_test.json";
  Trace trace;
  trace.record("task", "odd \"name\"\\ \n\x01", 2000, 5500, R"({"id":7})");
  std::thread([&] { trace.record("task", "other thread", 0, 1); }).join();
  ASSERT_TRUE(trace.write_json(path).ok());
  std::ifstream file(path);
  const nlohmann::json json = nlohmann::json::parse(file);
  const nlohmann::json& events = json.is_array() ? json : json.at("traceEvents");
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(events[0]["name"], "odd \"name\"\\ \n\x01");
  EXPECT_EQ(events[0]["ph"], "X");
  EXPECT_EQ(events[0]["ts"], 2.0);
  EXPECT_EQ(events[0]["dur"], 3.5);
  EXPECT_EQ(events[0]["args"]["id"], 7);
  EXPECT_NE(events[0]["tid"], events[1]["tid"]);
  std::filesystem::remove(path);
}

TEST(TraceTest, AnUnwritablePathIsAnError) {
  EXPECT_EQ(Trace().write_json("/nonexistent/folder/trace.json").code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace forebay
