// Every resource of this folder against the conformance suite, and what the adaptors add.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/memory/adaptors.h"
#include "forebay/memory/host_pool.h"
#include "forebay/memory/huge_page_resource.h"
#include "forebay/memory/memory_resource_conformance.h"
#include "forebay/memory/simulated_device.h"

namespace forebay::memory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(HostResource, Conforms) {
  check_conformance({.make = host_resource});
}

TEST(HostPoolResource, Conforms) {
  check_conformance({.make = host_pool, .largest_bytes = size_t{40} << 20});
}

TEST(HugePageResource, Conforms) {
  check_conformance({.make = huge_page_resource});
}

TEST(SimulatedResource, Conforms) {
  check_conformance({.make = [] { return (*SimulatedDevice::create())->resource(); }});
}

TEST(LimitResource, Conforms) {
  check_conformance(
      {.make = [] { return std::make_shared<LimitResource>(host_pool(), Budget::create(1 << 30)); }});
}

TEST(StatisticsResource, Conforms) {
  check_conformance({.make = [] { return std::make_shared<StatisticsResource>(host_pool()); }});
}

TEST(TrackingResource, Conforms) {
  check_conformance({.make = [] { return std::make_shared<TrackingResource>(host_pool()); }});
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

TEST(TrackingResource, KnowsWhatIsOutAndWhatCameBackWrong) {
  TrackingResource tracked(host_resource());
  void* a = *tracked.allocate(100);
  void* b = *tracked.allocate(50);
  ASSERT_EQ(tracked.outstanding().size(), 2);
  EXPECT_EQ(tracked.outstanding()[1].bytes, 50);
  tracked.deallocate(a, 99, Fence{});
  tracked.deallocate(a, 100, Fence{});
  tracked.deallocate(a, 100, Fence{});
  tracked.deallocate(b, 50, Fence{});
  EXPECT_TRUE(tracked.outstanding().empty());
  EXPECT_THAT(tracked.faults(), ElementsAre(HasSubstr("99 bytes instead of 100"), HasSubstr("is not out")));
}

}  // namespace
}  // namespace forebay::memory
