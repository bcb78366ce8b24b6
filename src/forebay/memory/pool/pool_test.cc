#include "forebay/memory/pool/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "forebay/base/units.h"
#include "forebay/memory/adaptors/adaptors.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/host/huge_page_resource.h"
#include "forebay/memory/testing/memory_resource_conformance.h"

namespace forebay::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Kind = Pool>
std::shared_ptr<Kind> make(PoolOptions options) {
  Result<std::shared_ptr<Kind>> pool = Kind::create(std::move(options));
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *pool;
}

/// A host pool that grows in small pieces and has no caches for queues.
PoolOptions plain(size_t maximum_bytes) {
  return {.maximum_bytes = maximum_bytes, .growth_bytes = 0, .cache_bytes = 0, .huge_pages = false};
}

TEST(Pool, ConformsOverAddressSpaceOfTheHost) {
  check_conformance({.make = [] { return make({.maximum_bytes = 64 * kMiB}); }});
}

TEST(Pool, ConformsWithChecks) {
  check_conformance({.make = [] { return make<CheckedPool>({.maximum_bytes = 64 * kMiB}); }});
}

TEST(Pool, ConformsOverHugePages) {
  check_conformance({.make = [] {
    return make({.upstream = huge_page_resource(), .maximum_bytes = 64 * kMiB, .growth_bytes = 2 * kMiB});
  }});
}

TEST(Pool, ConformsOverASimulatedDevice) {
  check_conformance({.make = [] {
    return make({.upstream = (*SimulatedDevice::create())->resource(), .maximum_bytes = 64 * kMiB});
  }});
}

TEST(Pool, RefusesOptionsThatMakeNoSense) {
  EXPECT_EQ(Pool::create({}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Pool::create({.maximum_bytes = kMiB, .initial_bytes = 2 * kMiB}).status().code(),
            StatusCode::kInvalidArgument);
  const auto small = std::make_shared<LimitResource>(host_resource(), Budget::create(1000));
  EXPECT_EQ(Pool::create({.upstream = small, .maximum_bytes = kMiB, .initial_bytes = kMiB}).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(Pool, JoinsNeighboursInAnyOrder) {
  const auto pool = make(plain(kMiB));
  std::vector<void*> blocks;
  for (int i = 0; i < 16; ++i) {
    blocks.push_back(*pool->allocate(kMiB / 16));
  }
  EXPECT_EQ(pool->statistics().free_bytes, 0);
  for (const int i : {3, 1, 2, 15, 0, 8, 10, 9, 4, 7, 5, 6, 14, 12, 13, 11}) {
    pool->deallocate(blocks[i], kMiB / 16, Fence{});
  }
  EXPECT_EQ(pool->statistics().holes, 1);
  EXPECT_EQ(pool->statistics().largest_hole_bytes, kMiB);
  EXPECT_EQ(pool->statistics().out_bytes, 0);
  EXPECT_EQ(pool->statistics().fragmentation(), 0);
}

TEST(Pool, TakesTheSmallestHoleThatFits) {
  const auto pool = make(plain(kMiB));
  void* const small = *pool->allocate(3000);
  void* const wall = *pool->allocate(256);
  void* const large = *pool->allocate(20000);
  void* const end = *pool->allocate(256);
  pool->deallocate(small, 3000, Fence{});
  pool->deallocate(large, 20000, Fence{});
  EXPECT_EQ(*pool->allocate(3000), small);
  EXPECT_EQ(*pool->allocate(20000), large);
  pool->deallocate(small, 3000, Fence{});
  pool->deallocate(large, 20000, Fence{});
  pool->deallocate(wall, 256, Fence{});
  pool->deallocate(end, 256, Fence{});
}

TEST(Pool, WhatItGrowsByDoesNotCostTheMaximum) {
  for (const bool over_resource : {false, true}) {
    PoolOptions options = plain(4 * kMiB);
    options.upstream = over_resource ? host_resource() : nullptr;
    const auto pool = make(options);
    std::vector<void*> blocks;
    for (int i = 0; i < 8; ++i) {
      blocks.push_back(*pool->allocate(kMiB / 2));
    }
    EXPECT_EQ(pool->statistics().growths, 8);
    EXPECT_EQ(pool->allocate(1).status().code(), StatusCode::kResourceExhausted);
    for (void* const block : blocks) {
      pool->deallocate(block, kMiB / 2, Fence{});
    }
    const Result<void*> whole = pool->allocate(4 * kMiB);
    ASSERT_TRUE(whole.ok()) << whole.status();
    std::memset(*whole, 1, 4 * kMiB);
    pool->deallocate(*whole, 4 * kMiB, Fence{});
  }
}

TEST(Pool, TrimGivesBackWhatIsFree) {
  const auto counted = std::make_shared<StatisticsResource>(host_resource());
  const auto over_resource =
      make({.upstream = counted, .maximum_bytes = 16 * kMiB, .growth_bytes = kMiB, .cache_bytes = kMiB});
  void* const kept = *over_resource->allocate(100);
  void* const big = *over_resource->allocate(8 * kMiB);
  over_resource->deallocate(big, 8 * kMiB, Fence{});
  EXPECT_EQ(over_resource->trim(), 8 * kMiB);
  EXPECT_EQ(counted->statistics().bytes, kMiB);
  over_resource->deallocate(kept, 100, Fence{});
  EXPECT_EQ(over_resource->trim(), kMiB);
  EXPECT_EQ(counted->statistics().bytes, 0);

  const auto of_host = make(plain(16 * kMiB));
  void* const first = *of_host->allocate(2 * kMiB);
  void* const second = *of_host->allocate(kMiB);
  void* const third = *of_host->allocate(kMiB);
  of_host->deallocate(third, kMiB, Fence{});
  of_host->deallocate(first, 2 * kMiB, Fence{});
  EXPECT_EQ(of_host->trim(), 3 * kMiB) << "the end, and the pages of the hole";
  EXPECT_EQ(of_host->statistics().reserved_bytes, 3 * kMiB);
  EXPECT_EQ(of_host->trim(), 0);
  of_host->deallocate(second, kMiB, Fence{});
  EXPECT_EQ(of_host->trim(), 3 * kMiB);
  EXPECT_EQ(of_host->statistics().reserved_bytes, 0);
  void* const again = *of_host->allocate(16 * kMiB);
  std::memset(again, 1, 16 * kMiB);
  of_host->deallocate(again, 16 * kMiB, Fence{});
}

TEST(Pool, SaysHowItsMemoryLies) {
  PoolOptions options = plain(64 << 10);
  options.name = "small";
  const auto pool = make(options);
  std::vector<void*> blocks;
  for (int i = 0; i < 16; ++i) {
    blocks.push_back(*pool->allocate(4096));
  }
  for (const int i : {1, 4, 5, 9}) {
    pool->deallocate(blocks[i], 4096, Fence{});
  }
  EXPECT_EQ(
      pool->allocate(16 << 10).status().message(),
      "pool 'small' has no room for 16384 bytes (for queue 0 of driver 0): 49152 of at most 65536 bytes are "
      "out, 16384 are free in 3 holes, fragmentation 0.50, the largest: 8192 4096 4096");
  EXPECT_DOUBLE_EQ(pool->statistics().fragmentation(), 0.5);
  for (const int i : {0, 2, 3, 6, 7, 8, 10, 11, 12, 13, 14, 15}) {
    pool->deallocate(blocks[i], 4096, Fence{});
  }
}

TEST(Pool, NamesWhatItsUpstreamSaid) {
  PoolOptions options = plain(kMiB);
  options.upstream = std::make_shared<LimitResource>(host_resource(), Budget::create(100000));
  const auto pool = make(options);
  const Status refused = pool->allocate(200000).status();
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(message(refused)), HasSubstr("upstream gave no more"));
}

TEST(Pool, ThreadsWithTheirOwnQueues) {
  const auto pool = make({.maximum_bytes = 64 * kMiB, .cache_bytes = 64 << 10});
  std::vector<std::thread> threads;
  for (uint32_t queue = 0; queue < 4; ++queue) {
    threads.emplace_back([&pool, queue] {
      std::vector<std::pair<uint8_t*, size_t>> live;
      std::mt19937 random(queue);
      for (int step = 0; step < 5000; ++step) {
        const size_t bytes = 1 + random() % 20000;
        auto* const block = static_cast<uint8_t*>(*pool->allocate_on(bytes, {0, queue}));
        block[0] = block[bytes - 1] = static_cast<uint8_t>(queue);
        live.emplace_back(block, bytes);
        if (live.size() > 20) {
          std::swap(live.back(), live[random() % live.size()]);
          EXPECT_EQ(live.back().first[0], queue);
          EXPECT_EQ(live.back().first[live.back().second - 1], queue);
          pool->deallocate_on(live.back().first, live.back().second, {0, (queue + step % 2) % 4});
          live.pop_back();
        }
      }
      for (const auto& [block, size] : live) {
        pool->deallocate_on(block, size, {0, queue});
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(pool->statistics().out_bytes, 0);
  EXPECT_EQ(pool->statistics().allocations, 20000);
  pool->trim();
  EXPECT_EQ(pool->statistics().reserved_bytes, 0);
}

TEST(Pool, RefusesAQueueTooMany) {
  const auto pool = make(plain(kMiB));
  for (uint32_t queue = 0; queue < Pool::kMaxQueues; ++queue) {
    void* const block = *pool->allocate_on(1, {0, queue});
    pool->deallocate_on(block, 1, {0, queue});
  }
  EXPECT_EQ(pool->allocate_on(1, {0, 1000}).status().code(), StatusCode::kResourceExhausted);
  void* const block = *pool->allocate(1);
  pool->deallocate_on(block, 1, {0, 1000});
  EXPECT_EQ(pool->statistics().out_bytes, 0);
}

TEST(CheckedPool, FindsWrongReturns) {
  const auto pool = make<CheckedPool>({.maximum_bytes = kMiB, .huge_pages = false});
  auto* const block = static_cast<std::byte*>(*pool->allocate(1000));
  pool->deallocate(block, 999, Fence{});
  pool->deallocate(block + 256, 1000, Fence{});
  pool->deallocate(block, 1000, Fence{});
  pool->deallocate(block, 1000, Fence{});
  int elsewhere = 0;
  pool->deallocate(&elsewhere, 4, Fence{});
  EXPECT_THAT(pool->faults(), ElementsAre(HasSubstr("999 bytes instead of 1000"), HasSubstr("is not out"),
                                          HasSubstr("is not out"), HasSubstr("is not out")));
}

TEST(CheckedPool, FindsWritesAfterTheReturn) {
  const auto pool = make<CheckedPool>({.maximum_bytes = kMiB, .huge_pages = false});
  auto* const block = static_cast<uint8_t*>(*pool->allocate(1000));
  pool->deallocate(block, 1000, Fence{});
  EXPECT_EQ(block[500], 0xDE);
  ASSERT_EQ(*pool->allocate(1000), block);
  EXPECT_TRUE(pool->faults().empty());
  pool->deallocate(block, 1000, Fence{});
  block[500] = 7;
  ASSERT_EQ(*pool->allocate(1000), block);
  EXPECT_THAT(pool->faults(), ElementsAre(HasSubstr("was written to after it was given back")));
  pool->deallocate(block, 1000, Fence{});
}

TEST(CheckedPool, FindsAWrongQueue) {
  const auto device = *SimulatedDevice::create();
  const auto pool = make<CheckedPool>({.upstream = device->resource(), .maximum_bytes = kMiB});
  const Queue first{device->driver(), 0};
  const Queue second{device->driver(), 1};
  void* const block = *pool->allocate_on(1000, first);
  pool->deallocate_on(block, 1000, second);
  EXPECT_THAT(pool->faults(), ElementsAre(HasSubstr("given back on queue 1 of driver")));
  pool->deallocate_on(block, 1000, first);
  EXPECT_EQ(pool->faults().size(), 1);
}

TEST(CheckedPool, NamesWhatIsOutWhenItEnds) {
  ::testing::internal::CaptureStderr();
  {
    const auto pool = make<CheckedPool>({.name = "leaky", .maximum_bytes = kMiB, .huge_pages = false});
    (void)*pool->allocate(1234);
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("pool 'leaky' ends with 1234 bytes out"));
}

}  // namespace
}  // namespace forebay::memory
