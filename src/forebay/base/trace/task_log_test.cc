#include "forebay/base/trace/task_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace forebay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const TickScale kScale({.ticks = 0, .ns = 0}, {.ticks = 100, .ns = 50});

std::vector<TraceTask> tasks_of(const TaskLog& log) {
  std::vector<TraceTask> tasks;
  log.read(7, kScale, tasks);
  return tasks;
}

TEST(TaskLogTest, TasksComeBackInWords) {
  TaskLog log(10);
  log.add_edge(3, 1);
  log.add_edge(3, 2);
  log.add_edge(3, 1);
  log.add({.id = 3,
           .ticks = {.push = 2, .ready = 4, .begin = 6, .end = 10},
           .label = log.label_of({.name = "dot", .site = "train.py:12", .lane = "arrays", .lane_id = 1}),
           .thread = 5,
           .is_asynchronous = true,
           .kibibytes = 7});
  const std::vector<TraceTask> tasks = tasks_of(log);
  ASSERT_EQ(tasks.size(), 1);
  EXPECT_EQ(tasks[0].engine, 7);
  EXPECT_EQ(tasks[0].id, 3);
  EXPECT_EQ(tasks[0].label->name, "dot");
  EXPECT_EQ(tasks[0].label->site, "train.py:12");
  EXPECT_EQ(tasks[0].label->lane, "arrays");
  EXPECT_EQ(tasks[0].push_ns, 1);
  EXPECT_EQ(tasks[0].ready_ns, 2);
  EXPECT_EQ(tasks[0].begin_ns, 3);
  EXPECT_EQ(tasks[0].end_ns, 5);
  EXPECT_EQ(tasks[0].thread, 5);
  EXPECT_EQ(tasks[0].bytes, 7 * 1024);
  EXPECT_TRUE(tasks[0].is_asynchronous);
  EXPECT_THAT(tasks[0].after, ElementsAre(1, 2));
  log.clear();
  EXPECT_THAT(tasks_of(log), IsEmpty());
}

TEST(TaskLogTest, NamesThatOnlyTogetherAreTheSameStayApart) {
  TaskLog log(10);
  log.add({.id = 1,
           .ticks = {},
           .label = log.label_of({.name = "ab", .site = "c", .lane = "x", .lane_id = 1}),
           .thread = 1});
  log.add({.id = 2,
           .ticks = {},
           .label = log.label_of({.name = "a", .site = "bc", .lane = "x", .lane_id = 1}),
           .thread = 1});
  log.add({.id = 3,
           .ticks = {},
           .label = log.label_of({.name = "ab", .site = "c", .lane = "y", .lane_id = 2}),
           .thread = 1});
  log.add({.id = 4,
           .ticks = {},
           .label = log.label_of({.name = "", .site = "", .lane = "", .lane_id = 0}),
           .thread = 1});
  const std::vector<TraceTask> tasks = tasks_of(log);
  EXPECT_EQ(tasks[0].label->name, "ab");
  EXPECT_EQ(tasks[1].label->site, "bc");
  EXPECT_EQ(tasks[2].label->lane, "y");
  EXPECT_EQ(tasks[3].label->name, "");
}

TEST(TaskLogTest, ManyNamesAreBounded) {
  constexpr uint64_t kTasks = 70000;
  TaskLog log(kTasks);
  for (uint64_t i = 1; i <= kTasks; ++i) {
    const std::string name = std::to_string(i);
    log.add({.id = i,
             .ticks = {},
             .label = log.label_of({.name = name, .site = {}, .lane = "x", .lane_id = 1}),
             .thread = 1});
  }
  const std::vector<TraceTask> tasks = tasks_of(log);
  ASSERT_EQ(tasks.size(), kTasks);
  EXPECT_EQ(tasks[1000].label->name, "1001");
  EXPECT_EQ(tasks.back().label->name, "(one of many names)");
}

}  // namespace
}  // namespace forebay
