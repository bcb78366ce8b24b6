// Random programs with the schedule disturbed wherever threads meet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "forebay/engine/testing/program_run.h"
#include "forebay/engine/testing/schedule_noise.h"
#include "forebay/engine/testing/serial_model.h"
#include "forebay/engine/testing/trace_check.h"

namespace forebay::engine::testing {
namespace {

// Each has its own program and schedule. FOREBAY_SCHEDULES=100000 sets their number: each
// hand-over between threads takes as long as a busy machine makes it wait, so by itself it is small.
uint32_t schedules() {
  const char* const given = std::getenv("FOREBAY_SCHEDULES");
  return given == nullptr ? 16 : static_cast<uint32_t>(std::atoi(given));
}

/// Many tasks on executors and many that push and wait: threads that depend on each other.
ProgramOptions dense() {
  return {.scripts = 2, .actions = 12, .executors = 2, .insides = 2};
}

std::vector<int> order_in_trace(const Trace& trace) {
  std::vector<int> order;
  for (const TracedTask& task : tasks_of(trace.spans())) {
    order.push_back(std::stoi(task.name));
  }
  return order;
}

void try_schedules(const ProgramOptions& options) {
  if (!can_make_noise()) {
    GTEST_SKIP() << "the sanitizer replaces the same functions";
  }
  for (uint32_t seed = 1; seed <= schedules() && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Program program = make_program(seed, options);
    History history(program);
    Trace trace;
    trace.start();
    const ScheduleNoise noise(seed);
    run_threaded(history, {.workers = 1 + static_cast<int>(seed % 3), .devices = 1, .trace = &trace});
    EXPECT_GT(ScheduleNoise::count(), 0);
    EXPECT_THAT(find_differences(history, order_in_trace(trace)), ::testing::IsEmpty());
  }
}

TEST(EngineScheduleTest, DisturbedSchedulesEqualASerialRun) {
  try_schedules({.scripts = 2, .actions = 16});
}

TEST(EngineScheduleTest, DisturbedSchedulesOfThreadsThatDependOnEachOther) {
  try_schedules(dense());
}

}  // namespace
}  // namespace forebay::engine::testing
