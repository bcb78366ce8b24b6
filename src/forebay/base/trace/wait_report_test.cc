#include "forebay/base/trace/wait_report.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

std::shared_ptr<const TaskLabel> label(std::string name, std::string site = {}) {
  return std::make_shared<TaskLabel>(
      TaskLabel{.name = std::move(name), .lane = "arrays", .site = std::move(site)});
}

TraceTask task(uint64_t id, std::shared_ptr<const TaskLabel> label, std::array<int64_t, 4> times_us,
               std::vector<uint64_t> after = {}) {
  return {.id = id,
          .label = std::move(label),
          .push_ns = times_us[0] * 1000,
          .ready_ns = times_us[1] * 1000,
          .begin_ns = times_us[2] * 1000,
          .end_ns = times_us[3] * 1000,
          .after = std::move(after)};
}

TEST(WaitReportTest, ALineForEachKindTheLongestFirst) {
  const auto full = label("full", "train.py:3");
  const auto dot = label("dot", "train.py:12");
  const auto add = label("add");
  const std::vector<TraceTask> tasks = {
      task(1, full, {0, 0, 1, 20}),
      task(2, add, {1, 1, 20, 22}),
      task(3, dot, {2, 20, 22, 2022}, {1}),
      task(4, dot, {3, 2022, 2022, 3500}, {2, 3}),
  };
  EXPECT_EQ(report_waits(tasks),
            R"(4 tasks of 3 kinds; those that waited longest (in all, the longest of one):
task               lane    count  waits for others  waits for a worker               runs  mostly after
dot (train.py:12)  arrays      2   2.0 ms (2.0 ms)     2.0 us (2.0 us)    3.5 ms (2.0 ms)  dot (train.py:12)
add                arrays      1       0 ns (0 ns)   19.0 us (19.0 us)    2.0 us (2.0 us)
full (train.py:3)  arrays      1       0 ns (0 ns)     1.0 us (1.0 us)  19.0 us (19.0 us)
)");
}

TEST(WaitReportTest, NoMoreLinesThanAskedFor) {
  const std::vector<TraceTask> tasks = {task(1, label("a"), {0, 0, 5, 6}),
                                        task(2, label("b"), {0, 0, 9, 10})};
  const std::string text = report_waits(tasks, 1);
  EXPECT_NE(text.find("\nb "), std::string::npos);
  EXPECT_EQ(text.find("\na "), std::string::npos);
}

TEST(WaitReportTest, NothingRecorded) {
  EXPECT_EQ(report_waits({}), "no tasks were recorded\n");
}

}  // namespace
}  // namespace forebay
