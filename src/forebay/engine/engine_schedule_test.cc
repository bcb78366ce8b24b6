// Random programs while the schedule is disturbed wherever threads meet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "forebay/engine/testing/program_run.h"
#include "forebay/engine/testing/schedule_noise.h"
#include "forebay/engine/testing/serial_model.h"
#include "forebay/engine/testing/trace_check.h"

namespace forebay::engine::testing {
namespace {

// Each a program and a schedule of its own.
constexpr uint32_t kSchedules = 1500;

std::vector<int> order_of(const Trace& trace) {
  std::vector<int> order;
  for (const TracedTask& task : tasks_of(trace.spans())) {
    order.push_back(std::stoi(task.name));
  }
  return order;
}

TEST(EngineScheduleTest, DisturbedSchedulesEqualASerialRun) {
  if (!can_make_noise()) {
    GTEST_SKIP() << "the sanitizer replaces the same functions";
  }
  for (uint32_t seed = 1; seed <= kSchedules && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Program program = make_program(seed, {.scripts = 2, .actions = 16});
    History history(program);
    Trace trace;
    trace.start();
    const ScheduleNoise noise(seed);
    run_threaded(history, {.workers = 1 + static_cast<int>(seed % 3), .devices = 1, .trace = &trace});
    EXPECT_GT(ScheduleNoise::count(), 0);
    EXPECT_THAT(find_differences(history, order_of(trace)), ::testing::IsEmpty());
  }
}

}  // namespace
}  // namespace forebay::engine::testing
