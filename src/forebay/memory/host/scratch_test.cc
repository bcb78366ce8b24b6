#include "forebay/memory/host/scratch.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "forebay/base/budget/budget.h"
#include "forebay/memory/adaptors/adaptors.h"

namespace forebay::memory {
namespace {

constexpr size_t kCounted = kSmallScratchBytes + 1;

TEST(ScratchTest, ComesFromTheInnermostScopeOfTheThread) {
  StatisticsResource outer(host_pool());
  StatisticsResource inner(host_pool());
  const ScratchScope outer_scope(outer);
  ScratchVector<char> first(kCounted);
  {
    const ScratchScope inner_scope(inner);
    const ScratchVector<char> second(kCounted);
    first.resize(3 * kCounted);  // keeps the resource it started with
    EXPECT_EQ(inner.statistics().bytes, kCounted);
    std::thread([] { const ScratchVector<char> elsewhere(kCounted); }).join();
  }
  EXPECT_EQ(inner.statistics().bytes, 0);
  EXPECT_EQ(inner.statistics().allocations, 1);
  EXPECT_EQ(outer.statistics().bytes, 3 * kCounted);
  first = ScratchVector<char>();
  EXPECT_EQ(outer.statistics().bytes, 0);
}

TEST(ScratchTest, SmallTablesAreNotCounted) {
  StatisticsResource counting(host_pool());
  const ScratchScope scope(counting);
  const ScratchVector<char> table(kSmallScratchBytes);
  EXPECT_EQ(counting.statistics().allocations, 0);
}

TEST(ScratchTest, ARefusalIsAStatus) {
  LimitResource limit(host_pool(), Budget::create(kCounted));
  const ScratchScope scope(limit);
  const auto work = [](size_t bytes) {
    return caught([&]() -> Status {
      const ScratchVector<char> memory(bytes);
      return ok_status();
    });
  };
  EXPECT_EQ(work(kCounted), ok_status());
  EXPECT_EQ(work(kCounted + 1).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(work(kCounted), ok_status()) << "nothing was left behind";
}

TEST(ScratchTest, AnArrayIsTakenAndGivenBackAsAVectorIs) {
  LimitResource limit(host_pool(), Budget::create(2 * kCounted));
  const ScratchScope scope(limit);
  const auto work = [](size_t elements) {
    return caught([&]() -> Status {
      ScratchArray<uint16_t> memory(elements);
      memory[elements - 1] = 7;
      return memory.size() == elements ? ok_status() : internal_error("{} elements", memory.size());
    });
  };
  EXPECT_EQ(work(kCounted), ok_status());
  EXPECT_EQ(work(kCounted + 1).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(work(kCounted), ok_status()) << "nothing was left behind";
  EXPECT_EQ(work(SIZE_MAX / 2 + 1).code(), StatusCode::kResourceExhausted) << "bytes that no number holds";
}

TEST(ScratchTest, IsAligned) {
  for (const size_t bytes : {size_t{1}, size_t{100}, kCounted}) {
    const ScratchVector<char> memory(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % kAlignment, 0);
  }
}

}  // namespace
}  // namespace forebay::memory
