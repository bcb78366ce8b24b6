#include "forebay/base/trace/chunk_log.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace forebay {
namespace {

using Log = ChunkLog<uint64_t>;

std::vector<uint64_t> contents(const Log& log) {
  std::vector<uint64_t> found;
  log.read([&](uint64_t record) { found.push_back(record); });
  return found;
}

TEST(ChunkLogTest, KeepsTheNewestAndCountsTheRest) {
  constexpr uint64_t kMost = 2 * Log::kChunk;
  constexpr uint64_t kAdded = 10 * Log::kChunk + 5;
  Log log(kMost);
  for (uint64_t i = 0; i < kAdded; ++i) {
    log.add(i);
  }
  const std::vector<uint64_t> found = contents(log);
  ASSERT_GE(found.size(), kMost);
  EXPECT_LE(found.size(), kMost + Log::kChunk);
  EXPECT_EQ(found.size() + log.forgotten(), kAdded);
  EXPECT_EQ(found.back(), kAdded - 1);
  EXPECT_EQ(found.front(), kAdded - found.size());
}

TEST(ChunkLogTest, ClearForgetsAndGoesOn) {
  Log log(100);
  log.add(1);
  log.clear();
  EXPECT_TRUE(contents(log).empty());
  log.add(2);
  EXPECT_EQ(contents(log), std::vector<uint64_t>{2});
  EXPECT_EQ(log.forgotten(), 0);
}

TEST(ChunkLogTest, OthersReadAndClearWhileOneAdds) {
  constexpr uint64_t kAdded = 30 * Log::kChunk;
  Log log(3 * Log::kChunk);
  std::thread writer([&] {
    for (uint64_t i = 0; i < kAdded; ++i) {
      log.add(i);
    }
  });
  for (int i = 0; i < 50; ++i) {
    const std::vector<uint64_t> found = contents(log);
    for (size_t j = 1; j < found.size(); ++j) {
      ASSERT_EQ(found[j], found[j - 1] + 1);
    }
    if (i % 10 == 9) {
      log.clear();
    }
  }
  writer.join();
}

}  // namespace
}  // namespace forebay
