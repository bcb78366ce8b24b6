#include "forebay/cli/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forebay::cli {
namespace {

using ::testing::HasSubstr;

/// Two threads on two queues that hand the same memory back and forth.
std::vector<memory::Request> make_log() {
  std::vector<memory::Request> log;
  for (uint32_t i = 0; i < 100; ++i) {
    const memory::Queue queue{1, i % 2 + 10};
    log.push_back({.pointer = i + 1, .bytes = 100000, .queue = queue, .thread = i % 2});
    log.push_back(
        {.pointer = i + 1, .queue = queue, .thread = i % 2, .action = memory::RequestAction::kFree});
  }
  return log;
}

TEST(MemoryReplay, KnowsEveryPool) {
  for (const std::string pool : {"pool", "checked", "device", "host", "huge", "system"}) {
    const ReplayOutcome outcome = *replay_against(make_log(), {.pool = pool, .maximum_bytes = 1 << 22});
    EXPECT_EQ(outcome.report.allocations, 100) << pool;
    EXPECT_EQ(outcome.report.failures, 0) << pool;
    EXPECT_TRUE(outcome.faults.empty()) << pool;
    EXPECT_THAT(to_text(outcome),
                HasSubstr("100 allocations, 100 frees by 2 threads on 2 queues, against '" + pool));
    EXPECT_THAT(to_json(outcome), HasSubstr("\"ns_per_request\""));
  }
  EXPECT_EQ(replay_against(make_log(), {.pool = "bathtub"}).status().code(), StatusCode::kInvalidArgument);
}

TEST(MemoryReplay, SaysWhatFailed) {
  const ReplayOutcome outcome = *replay_against(make_log(), {.pool = "device", .maximum_bytes = 65536});
  EXPECT_EQ(outcome.report.failures, 100);
  EXPECT_THAT(to_text(outcome),
              HasSubstr("100 allocations failed, the first: 100000 bytes requested from pool"));
}

}  // namespace
}  // namespace forebay::cli
