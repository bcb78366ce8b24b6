#include "forebay/base/trace/trace.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/trace/task_log.h"

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
  const TemporaryDirectory directory;
  const std::string path = directory / "trace.json";
  Trace trace;
  trace.record("task", "odd \"name\"\\ \n\x01", 2000, 5500, R"({"id":7})");
  std::thread([&] { trace.record("task", "caf\xe9", 0, 1); }).join();
  ASSERT_TRUE(trace.write_json(path).ok());
  std::ifstream file(path);
  const nlohmann::json json = nlohmann::json::parse(file);
  const nlohmann::json& events = json.at("traceEvents");
  ASSERT_GE(events.size(), 2);
  EXPECT_EQ(events[1]["ph"], "X");
  EXPECT_EQ(events[0]["name"], "odd \"name\"\\ \n\x01");
  EXPECT_EQ(events[1]["name"], "caf\u00e9") << "bytes that are no text";
  EXPECT_EQ(events[0]["ph"], "X");
  EXPECT_EQ(events[0]["ts"], 2.0);
  EXPECT_EQ(events[0]["dur"], 3.5);
  EXPECT_EQ(events[0]["args"]["id"], 7);
  EXPECT_NE(events[0]["tid"], events[1]["tid"]);
}

nlohmann::json written(const Trace& trace) {
  const TemporaryDirectory directory;
  const std::string path = directory / "trace.json";
  EXPECT_TRUE(trace.write_json(path).ok());
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

std::vector<nlohmann::json> events(const nlohmann::json& json, const std::string& phase) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& event : json.at("traceEvents")) {
    if (event.at("ph") == phase) {
      found.push_back(event);
    }
  }
  return found;
}

std::vector<nlohmann::json> counters(const nlohmann::json& json, const std::string& name) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& event : events(json, "C")) {
    if (event["name"] == name) {
      found.push_back(event["args"]);
    }
  }
  return found;
}

TEST(TraceTest, TasksHaveArrowsAndLevels) {
  SteppedClock clock;
  Trace trace(clock);
  trace.start();
  const auto log = trace.add_task_log();
  const TaskLog::Names names{.name = "dot", .site = "train.py:12", .lane = "arrays", .lane_id = 1};
  log->add_edge(2, 1);
  log->add_edge(3, 2);
  log->add({.id = 1,
            .ticks = {.push = 0, .ready = 0, .begin = 1000, .end = 5000},
            .label = log->label_of(names),
            .thread = 1});
  log->add({.id = 2,
            .ticks = {.push = 1000, .ready = 5000, .begin = 6000, .end = 7000},
            .label = log->label_of(names),
            .thread = 2});
  log->add({.id = 3,
            .ticks = {.push = 1000, .ready = 7000, .begin = 7000, .end = 9000},
            .label = log->label_of(names),
            .thread = 2,
            .is_asynchronous = true,
            .kibibytes = 3});
  trace.count("bytes", 42);
  const nlohmann::json json = written(trace);
  EXPECT_EQ(events(json, "X").size(), 2);
  EXPECT_EQ(events(json, "X")[1]["args"]["site"], "train.py:12");
  EXPECT_EQ(events(json, "b").size(), 1);
  EXPECT_EQ(events(json, "e").size(), 1);
  ASSERT_EQ(events(json, "s").size(), 1);
  ASSERT_EQ(events(json, "f").size(), 1);
  EXPECT_EQ(events(json, "s")[0]["tid"], 1);
  EXPECT_EQ(events(json, "f")[0]["ts"], 6.0);
  EXPECT_EQ(events(json, "b")[0]["args"]["bytes"], 3072);
  EXPECT_FALSE(events(json, "X")[0]["args"].contains("bytes"));
  const std::vector<nlohmann::json> tasks = counters(json, "tasks");
  EXPECT_EQ(tasks[1]["unfinished"], 3);
  EXPECT_EQ(tasks.back()["unfinished"], 0);
  EXPECT_EQ(tasks.back()["ready"], 0);
  const std::vector<nlohmann::json> bytes = counters(json, "bytes of tasks");
  EXPECT_EQ(bytes[0]["unfinished"], 0);
  EXPECT_EQ(bytes[1]["unfinished"], 3072);
  EXPECT_EQ(bytes.back()["unfinished"], 0);
  EXPECT_EQ(counters(json, "bytes")[0]["value"], 42);
  EXPECT_EQ(json["otherData"]["forgotten"], 0);
}

TEST(TraceTest, ProcessAndThreadsHaveTheirNames) {
  Trace trace;
  trace.record("test", "first", 0, 1);
  std::thread([&] {
    pthread_setname_np(pthread_self(), "a \"worker\"");
    trace.record("test", "second", 0, 1);
  }).join();
  const nlohmann::json json = written(trace);
  for (const nlohmann::json& event : json.at("traceEvents")) {
    EXPECT_EQ(event["pid"], getpid());
  }
  std::map<int, std::string> names;
  for (const nlohmann::json& event : events(json, "M")) {
    if (event["name"] == "process_name") {
      EXPECT_EQ(event["args"]["name"], program_invocation_short_name);
    } else {
      EXPECT_EQ(event["name"], "thread_name");
      names[event["tid"]] = event["args"]["name"];
    }
  }
  const std::vector<nlohmann::json> spans = events(json, "X");
  ASSERT_EQ(spans.size(), 2);
  EXPECT_EQ(names[spans[0]["tid"]], "main");
  EXPECT_EQ(names[spans[1]["tid"]], "a \"worker\"");
  EXPECT_EQ(names.size(), 2);
}

TEST(TraceTest, ValuesAreThinned) {
  SteppedClock clock;
  Trace trace(clock);
  constexpr int64_t kSteps = 50000;
  for (int64_t i = 0; i < kSteps; ++i) {
    trace.count("bytes", i == 77 ? 1000 : i % 3);
    trace.count("constant", 5);
    clock.advance_ns(10000);
  }
  trace.count("bytes", 0);
  const nlohmann::json json = written(trace);
  EXPECT_EQ(counters(json, "constant").size(), 1);
  const std::vector<nlohmann::json> bytes = counters(json, "bytes");
  EXPECT_LE(bytes.size(), 2 * 1001);
  EXPECT_EQ(
      std::ranges::count(bytes, 1000, [](const auto& event) { return event["value"].template get<int>(); }),
      1);
  EXPECT_EQ(bytes.back()["value"], 0);
}

TEST(TraceTest, WhatIsTooMuchIsForgottenAndCounted) {
  Trace trace(steady_clock(), {.most_tasks = 1, .most_spans = 3});
  const auto log = trace.add_task_log();
  constexpr uint64_t kTasks = 20 * ChunkLog<int>::kChunk;
  for (uint64_t id = 1; id <= kTasks; ++id) {
    log->add({.id = id,
              .ticks = {},
              .label = log->label_of({.name = "a", .site = {}, .lane = "b", .lane_id = 1}),
              .thread = 1});
  }
  for (int i = 0; i < 5; ++i) {
    trace.record("test", std::to_string(i), i, i + 1);
  }
  const size_t kept = trace.tasks().size();
  EXPECT_EQ(trace.forgotten(), kTasks - kept + 2);
  EXPECT_EQ(trace.spans(/*with_tasks=*/false).front().name, "2");
  EXPECT_EQ(written(trace)["otherData"]["forgotten"], trace.forgotten());
  trace.clear();
  EXPECT_EQ(trace.forgotten(), 0);
  EXPECT_TRUE(trace.tasks().empty());
}

TEST(TraceTest, TicksAreTheClocks) {
  const TickClock clock(steady_clock());
  const TickClock::Mark first = clock.mark();
  const int64_t ticks = clock.now();
  const int64_t ns = steady_clock().now_ns();
  while (steady_clock().now_ns() < ns + 1000000) {
  }
  const TickScale scale(first, clock.mark());
  EXPECT_LE(scale.ns_of(ticks), ns + 1000);
  EXPECT_GE(scale.ns_of(clock.now()), ns + 999000);
}

TEST(TraceTest, AnUnwritablePathIsAnError) {
  EXPECT_EQ(Trace().write_json("/nonexistent/folder/trace.json").code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace forebay
