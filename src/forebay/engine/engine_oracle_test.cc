// Random programs on the engine compared with a serial run in push order: values, errors, waits and the
// trace.
//
// FOREBAY_SEEDS and FOREBAY_SEED: base/testing/seeds.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "forebay/base/testing/seeds.h"
#include "forebay/engine/testing/program_run.h"
#include "forebay/engine/testing/serial_model.h"
#include "forebay/engine/testing/trace_check.h"

namespace forebay::engine::testing {
namespace {

using ::testing::IsEmpty;

/// The push order according to the trace, checked against the order in which each thread pushed.
std::vector<int> order_of(const std::vector<TracedTask>& tasks, const History& history) {
  std::vector<int> order;
  for (const TracedTask& task : tasks) {
    order.push_back(std::stoi(task.name));
  }
  EXPECT_THAT(order, ::testing::UnorderedElementsAreArray(order_of_pushes(history)))
      << "pushed, and in the trace";
  uint64_t latest_begin = 0;
  for (const int task : order) {
    EXPECT_GT(history.tasks[task].push_end, latest_begin)
        << "task " << task << " was pushed before one with a smaller id";
    latest_begin = std::max(latest_begin, history.tasks[task].push_begin);
  }
  return order;
}

void expect_lawful(const std::vector<TracedTask>& tasks, Edges edges, const Program& program) {
  EXPECT_THAT(check_tasks(tasks), IsEmpty());
  EXPECT_THAT(check_order(tasks, edges,
                          [&](const TracedTask& task) {
                            std::vector<TracedUse> uses;
                            for (const Use& use : uses_of(program.tasks[std::stoi(task.name)])) {
                              uses.push_back({static_cast<uint64_t>(use.variable), use.writes});
                            }
                            return uses;
                          }),
              IsEmpty());
}

TEST(EngineOracleTest, SteppedProgramsEqualASerialRun) {
  for_seeds(2000, [](uint32_t seed) {
    const Program program = make_program(seed, {});
    History history(program);
    run_stepped(history, seed * 7919);
    EXPECT_THAT(find_differences(history, order_of_pushes(history)), IsEmpty());
  });
}

TEST(EngineOracleTest, OneProgramUnderManySchedules) {
  const Program program = make_program(1, {.actions = 60});
  for_seeds(500, [&](uint32_t seed) {
    History history(program);
    run_stepped(history, seed);
    EXPECT_THAT(find_differences(history, order_of_pushes(history)), IsEmpty());
  });
}

TEST(EngineOracleTest, SteppedTracesAreLawful) {
  for_seeds(500, [](uint32_t seed) {
    const Program program = make_program(seed, {});
    History history(program);
    Trace trace;
    trace.start();
    run_stepped(history, seed, &trace);
    const std::vector<TracedTask> tasks = tasks_of(trace.spans());
    EXPECT_EQ(order_of(tasks, history), order_of_pushes(history));
    expect_lawful(tasks, Edges::kAll, program);
  });
}

class ThreadedOracleTest : public ::testing::TestWithParam<int> {};

TEST_P(ThreadedOracleTest, OneThreadPushes) {
  for_seeds(24, [](uint32_t seed) {
    const Program program = make_program(seed, {.scripts = 1, .actions = 80, .nests = false});
    History history(program);
    run_threaded(history, {.workers = GetParam()});
    EXPECT_THAT(find_differences(history, order_of_pushes(history)), IsEmpty());
  });
}

TEST_P(ThreadedOracleTest, SeveralThreadsPush) {
  for_seeds(24, [](uint32_t seed) {
    const Program program = make_program(seed, {.scripts = 4, .actions = 30});
    History history(program);
    Trace trace;
    trace.start();
    run_threaded(history, {.workers = GetParam(), .trace = &trace});
    const std::vector<TracedTask> tasks = tasks_of(trace.spans());
    const std::vector<int> order = order_of(tasks, history);
    EXPECT_THAT(find_differences(history, order), IsEmpty());
    expect_lawful(tasks, Edges::kSome, program);
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, ThreadedOracleTest, ::testing::Values(1, 2, 4));

}  // namespace
}  // namespace forebay::engine::testing
