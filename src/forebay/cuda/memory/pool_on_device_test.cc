// memory::Pool on a real device: what schedules prove on the simulated device, shown on hardware.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "forebay/base/units.h"
#include "forebay/cuda/check/pattern.h"
#include "forebay/cuda/memory/resources.h"
#include "forebay/cuda/testing/gpu.h"
#include "forebay/memory/pool/pool.h"

namespace forebay::cuda {
namespace {

using memory::Pool;
using memory::PoolStatistics;

class CudaPool : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (device_ == nullptr) {
      return;
    }
    need_pattern();
    if (pattern_ == nullptr) {
      return;
    }
    wrong_ = static_cast<uint32_t*>(*pinned_resource(device_)->allocate(sizeof(uint32_t)));
    *wrong_ = 0;
    warm_up();
  }

  void TearDown() override {
    GpuTest::TearDown();
    if (wrong_ != nullptr) {
      pinned_resource(device_)->deallocate(wrong_, sizeof(uint32_t), Fence{});
    }
  }

  std::shared_ptr<Pool> make(size_t maximum_bytes) {
    return *Pool::create({.upstream = device_resource(device_),
                          .maximum_bytes = maximum_bytes,
                          .initial_bytes = maximum_bytes,
                          .cache_bytes = 0});
  }
  void fill(uint32_t queue, void* block, size_t bytes, uint32_t seed) {
    ASSERT_EQ(pattern_->fill(queue, block, bytes, seed), ok_status());
  }
  void look(uint32_t queue, void* block, size_t bytes, uint32_t seed) {
    ASSERT_EQ(pattern_->add_wrong(queue, block, bytes, seed, wrong_), ok_status());
  }
  /// The number of wrong words found by the device's work so far.
  uint32_t wrong_words() {
    EXPECT_EQ(device_->synchronize(), ok_status());
    return *static_cast<volatile uint32_t*>(wrong_);
  }

 private:
  // The first launch of a kernel may wait for the whole device, which would never end with a held queue.
  void warm_up() {
    const auto pool = make(kMiB);
    void* const block = *pool->allocate(kMiB);
    fill(0, block, kMiB, 1);
    look(0, block, kMiB, 1);
    ASSERT_EQ(wrong_words(), 0);
    look(0, block, kMiB, 2);
    ASSERT_EQ(wrong_words(), kMiB / sizeof(uint32_t)) << "the check finds what is wrong";
    *wrong_ = 0;
    pool->deallocate(block, kMiB, Fence{});
  }

  uint32_t* wrong_ = nullptr;
};

TEST_F(CudaPool, AnotherQueueUsesABlockOnlyBehindItsLastUse) {
  const auto pool = make(kMiB);
  void* const first = *pool->allocate_on(kMiB, queue(1));
  HeldQueue held(*device_, 1);
  fill(1, first, kMiB, 11);
  look(1, first, kMiB, 11);
  pool->deallocate_on(first, kMiB, queue(1));
  void* const second = *pool->allocate_on(kMiB, queue(2));
  ASSERT_EQ(second, first);
  fill(2, second, kMiB, 22);
  const Fence later = *memory::record(device_->driver(), 2);
  EXPECT_FALSE(*memory::has_passed(later)) << "it would run beside the first use";
  held.resume();
  look(2, second, kMiB, 22);
  EXPECT_EQ(wrong_words(), 0);
  const PoolStatistics statistics = pool->statistics();
  EXPECT_EQ(statistics.events, 1);
  EXPECT_EQ(statistics.waits, 1);
  pool->deallocate_on(second, kMiB, queue(2));
}

TEST_F(CudaPool, TheSameQueueGetsItsBlockAtOnceAndWithoutAnEvent) {
  const auto pool = make(kMiB);
  void* const first = *pool->allocate_on(kMiB, queue(1));
  HeldQueue held(*device_, 1);
  fill(1, first, kMiB, 11);
  pool->deallocate_on(first, kMiB, queue(1));
  void* const second = *pool->allocate_on(kMiB, queue(1));
  EXPECT_EQ(second, first);
  fill(1, second, kMiB, 12);
  look(1, second, kMiB, 12);
  held.resume();
  EXPECT_EQ(wrong_words(), 0);
  EXPECT_EQ(pool->statistics().events, 0);
  pool->deallocate_on(second, kMiB, queue(1));
}

/// A block on its way through a schedule.
struct Use {
  void* block;
  size_t bytes;
  uint32_t queue;
  uint32_t seed;
};

TEST_F(CudaPool, SchedulesOfManyQueuesNeverFindAnothersContent) {
  const auto pool = make(8 * kMiB);
  std::mt19937 random(5);
  std::vector<Use> live;
  for (uint32_t step = 0; step < 2000; ++step) {
    const auto number = static_cast<uint32_t>(random() % kQueues);
    const size_t bytes = 4096 * (1 + random() % 200);
    const Result<void*> block = live.size() < 8 ? pool->allocate_on(bytes, queue(number))
                                                : Result<void*>(resource_exhausted("enough are out"));
    if (block.ok()) {
      fill(number, *block, bytes, step);
      live.push_back({*block, bytes, number, step});
      continue;
    }
    ASSERT_FALSE(live.empty());
    std::swap(live[random() % live.size()], live.back());
    const Use use = live.back();
    live.pop_back();
    look(use.queue, use.block, use.bytes, use.seed);
    pool->deallocate_on(use.block, use.bytes, queue(use.queue));
  }
  for (const Use& use : live) {
    look(use.queue, use.block, use.bytes, use.seed);
    pool->deallocate_on(use.block, use.bytes, queue(use.queue));
  }
  EXPECT_EQ(wrong_words(), 0);
  EXPECT_GT(pool->statistics().steals, 0);
}

}  // namespace
}  // namespace forebay::cuda
