#include "forebay/memory/adaptors/adaptors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/memory/adaptors/tracking_resource.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/host/host_pool.h"
#include "forebay/memory/pool/pool.h"
#include "forebay/memory/testing/memory_resource_conformance.h"

namespace forebay::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LimitResource, Conforms) {
  check_conformance(
      {.make = [] { return std::make_shared<LimitResource>(host_pool(), Budget::create(1 << 30)); }});
}

TEST(RateResource, Conforms) {
  check_conformance({.make = [] {
    const RateOptions options = {.bytes_per_second = uint64_t{1} << 50, .burst_bytes = uint64_t{1} << 40};
    return std::make_shared<RateResource>(host_pool(), options);
  }});
}

TEST(StatisticsResource, Conforms) {
  check_conformance({.make = [] { return std::make_shared<StatisticsResource>(host_pool()); }});
}

TEST(TrackingResource, Conforms) {
  check_conformance({.make = [] {
    return std::make_shared<TrackingResource>(host_pool(), TrackingOptions{.stack_depth = 4});
  }});
}

TEST(FailureCallbackResource, Conforms) {
  check_conformance({.make = [] {
    return std::make_shared<FailureCallbackResource>(host_pool(),
                                                     [](size_t, const Status&, int) { return false; });
  }});
}

TEST(Adaptor, PassesQueuesOn) {
  const auto device = *SimulatedDevice::create({.eager = false});
  const auto pool = *Pool::create({.upstream = device->resource(), .maximum_bytes = 1 << 20});
  StatisticsResource counted(
      std::make_shared<TrackingResource>(std::make_shared<LimitResource>(pool, Budget::create(1 << 20))));
  const Queue first{device->driver(), 1};
  void* const block = *counted.allocate_on(1000, first);
  EXPECT_TRUE(device->submit(1, [] { return ok_status(); }).ok());
  counted.deallocate_on(block, 1000, first);
  EXPECT_EQ(*counted.allocate_on(1000, first), block);
  EXPECT_EQ(pool->statistics().events, 0);
  EXPECT_EQ(device->pending(), 1);
  counted.deallocate_on(block, 1000, first);
}

TEST(LimitResource, ReservesBeforeItTakes) {
  const auto budget = Budget::create(1000);
  const auto statistics = std::make_shared<StatisticsResource>(host_resource());
  LimitResource limited(statistics, budget);
  void* first = *limited.allocate(600);
  EXPECT_EQ(budget->working_bytes(), 600);
  const Status refused = limited.allocate(600).status();
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(statistics->statistics().allocations, 1) << "the system was not even asked";
  limited.deallocate(first, 600, Fence{});
  EXPECT_EQ(budget->working_bytes(), 0);
}

TEST(RateResource, LetsThroughAtARate) {
  SteppedClock clock;
  RateResource rated(host_resource(), {.bytes_per_second = 1000, .burst_bytes = 500}, clock);
  std::vector<void*> blocks;
  blocks.push_back(*rated.allocate(500));
  const Status early = rated.allocate(100).status();
  EXPECT_EQ(early.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(message(early)), HasSubstr("100 bytes exceed the rate of 1000 bytes a second"));
  EXPECT_EQ(rated.ns_until(100), 100000000);
  clock.advance_ns(99000000);
  EXPECT_FALSE(rated.allocate(100).ok());
  clock.advance_ns(1000000);
  blocks.push_back(*rated.allocate(100));
  clock.advance_ns(3600000000000);
  EXPECT_EQ(rated.allocate(501).status().code(), StatusCode::kResourceExhausted);
  blocks.push_back(*rated.allocate(500));
  EXPECT_FALSE(rated.allocate(1).ok()) << "an hour of rest is worth one burst";
  for (void* const block : blocks) {
    rated.deallocate(block, 0, Fence{});
  }
}

/// Makes another request of the same size to the resource above it, as another thread might at that moment;
/// refuses if told to.
class Nested final : public MemoryResource {
 public:
  Result<void*> allocate(size_t bytes) override {
    if (above != nullptr) {
      nested = std::exchange(above, nullptr)->allocate(bytes).status();
    }
    return refuses ? Result<void*>(resource_exhausted("told to")) : host_resource()->allocate(bytes);
  }
  void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override {
    host_resource()->deallocate(pointer, bytes, last_use);
  }
  MemoryKind kind() const override { return MemoryKind::kHost; }
  std::string_view name() const override { return "nested"; }

  MemoryResource* above = nullptr;
  bool refuses = false;
  Status nested;
};

TEST(RateResource, CreditIsTakenBeforeTheMemoryAndGivenBackWithoutIt) {
  SteppedClock clock;
  const auto upstream = std::make_shared<Nested>();
  RateResource rated(upstream, {.bytes_per_second = 1000, .burst_bytes = 500}, clock);
  upstream->refuses = true;
  EXPECT_EQ(rated.allocate(500).status().code(), StatusCode::kResourceExhausted);
  upstream->refuses = false;
  upstream->above = &rated;
  void* const block = *rated.allocate(500);
  EXPECT_EQ(upstream->nested.code(), StatusCode::kUnavailable) << "two at once pass one burst";
  rated.deallocate(block, 500, Fence{});
}

TEST(StatisticsResource, Counts) {
  StatisticsResource counted(host_resource());
  void* a = *counted.allocate(100);
  void* b = *counted.allocate(50);
  counted.deallocate(a, 100, Fence{});
  EXPECT_FALSE(counted.allocate(std::numeric_limits<size_t>::max()).ok());
  const ResourceStatistics statistics = counted.statistics();
  EXPECT_EQ(statistics.allocations, 2);
  EXPECT_EQ(statistics.failures, 1);
  EXPECT_EQ(statistics.bytes, 50);
  EXPECT_EQ(statistics.peak_bytes, 150);
  EXPECT_EQ(statistics.total_bytes, 150);
  counted.deallocate(b, 50, Fence{});
}

TEST(StatisticsResource, CountsByScope) {
  StatisticsResource counted(host_resource());
  EXPECT_EQ(counted.pop().status().code(), StatusCode::kFailedPrecondition);
  void* const outer = *counted.allocate(100);
  counted.push();
  void* const inner = *counted.allocate(300);
  counted.push();
  counted.deallocate(outer, 100, Fence{});
  void* const innermost = *counted.allocate(50);
  EXPECT_EQ(counted.statistics().bytes, 350);
  EXPECT_EQ(counted.statistics().peak_bytes, 400);
  const ResourceStatistics second = *counted.pop();
  EXPECT_EQ(second.bytes, -50);
  EXPECT_EQ(second.peak_bytes, 0) << "never more out than when the scope began";
  EXPECT_EQ(second.allocations, 1);
  counted.deallocate(inner, 300, Fence{});
  const ResourceStatistics first = *counted.pop();
  EXPECT_EQ(first.allocations, 2);
  EXPECT_EQ(first.bytes, -50);
  EXPECT_EQ(first.peak_bytes, 300);
  EXPECT_EQ(counted.statistics().bytes, 50);
  EXPECT_EQ(counted.statistics().allocations, 3);
  counted.deallocate(innermost, 50, Fence{});
}

TEST(TrackingResource, KnowsWhatIsOutAndWhatCameBackWrong) {
  TrackingResource tracked(host_resource());
  void* a = *tracked.allocate(100);
  void* b = *tracked.allocate(50);
  ASSERT_EQ(tracked.outstanding().size(), 2);
  EXPECT_EQ(tracked.outstanding()[1].bytes, 50);
  EXPECT_TRUE(tracked.outstanding()[1].stack.empty());
  tracked.deallocate(a, 99, Fence{});
  tracked.deallocate(a, 100, Fence{});
  tracked.deallocate(a, 100, Fence{});
  tracked.deallocate(b, 50, Fence{});
  EXPECT_TRUE(tracked.outstanding().empty());
  EXPECT_THAT(tracked.faults(), ElementsAre(HasSubstr("99 bytes instead of 100"), HasSubstr("is not out")));
}

TEST(TrackingResource, KnowsWhereItWasAskedFor) {
  TrackingResource tracked(host_resource(), {.stack_depth = 8});
  void* const block = *tracked.allocate(100);
  const std::vector<void*> stack = tracked.outstanding()[0].stack;
  EXPECT_GE(stack.size(), 2);
  EXPECT_LE(stack.size(), 8);
  EXPECT_THAT(describe_stack(stack), HasSubstr("#0 "));
  EXPECT_THAT(describe_stack(stack), HasSubstr("forebay_memory_test"));
  tracked.deallocate(block, 100, Fence{});
}

TEST(FailureCallbackResource, TriesAgainAsOftenAsItIsTold) {
  const auto budget = Budget::create(1000);
  const auto limited = std::make_shared<LimitResource>(host_resource(), budget);
  void* kept = *limited->allocate(800);
  std::vector<int> attempts;
  FailureCallbackResource asking(limited, [&](size_t bytes, const Status& failure, int attempt) {
    EXPECT_EQ(bytes, 600);
    EXPECT_EQ(failure.code(), StatusCode::kResourceExhausted);
    attempts.push_back(attempt);
    if (attempt == 2 && kept != nullptr) {
      limited->deallocate(kept, 800, Fence{});
      kept = nullptr;
    }
    return attempt < 4;
  });
  void* const block = *asking.allocate(600);
  EXPECT_THAT(attempts, ElementsAre(1, 2));
  EXPECT_FALSE(asking.allocate(600).ok());
  EXPECT_THAT(attempts, ElementsAre(1, 2, 1, 2, 3, 4));
  asking.deallocate(block, 600, Fence{});
}

}  // namespace
}  // namespace forebay::memory
