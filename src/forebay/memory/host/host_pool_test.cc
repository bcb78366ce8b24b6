#include "forebay/memory/host/host_pool.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/wait_for_child.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "forebay/base/units.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/device/simulated_device.h"

namespace forebay::memory {
namespace {

/// The resident bytes of this process.
size_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  size_t total = 0;
  size_t resident = 0;
  EXPECT_EQ(std::fscanf(file, "%zu %zu", &total, &resident), 2);
  std::fclose(file);
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(HostPoolTest, RoundsToEightClassesADoubling) {
  EXPECT_EQ(HostPool::rounded_bytes(100), 100);
  EXPECT_EQ(HostPool::rounded_bytes(32769), 36864);
  EXPECT_EQ(HostPool::rounded_bytes(65536), 65536);
  EXPECT_EQ(HostPool::rounded_bytes(65537), 73728);
  for (size_t bytes = HostPool::kLargestSmall + 1; bytes < 300 * kMiB; bytes += bytes / 37 + 1) {
    const size_t rounded = HostPool::rounded_bytes(bytes);
    EXPECT_GE(rounded, bytes);
    EXPECT_LE(rounded, bytes + bytes / 8 + 1) << bytes;
    EXPECT_EQ(HostPool::rounded_bytes(rounded), rounded);
    EXPECT_EQ(rounded % 4096, 0);
  }
}

TEST(HostPoolTest, ReusesBlocksOfAClass) {
  HostPool pool;
  void* first = *pool.allocate(10 * kMiB);
  pool.deallocate(first, 10 * kMiB, Fence{});
  EXPECT_EQ(*pool.allocate(10 * kMiB - 100), first);
  pool.deallocate(first, 10 * kMiB - 100, Fence{});
  EXPECT_EQ(pool.statistics().hits, 1);
  EXPECT_EQ(pool.statistics().misses, 1);
  EXPECT_EQ(pool.statistics().in_use_bytes, 0);
  EXPECT_EQ(pool.trim(), HostPool::rounded_bytes(10 * kMiB));
  EXPECT_EQ(pool.statistics().kept_bytes, 0);
}

TEST(HostPoolTest, NeverHoldsMoreThanTheRecentPeakAndTheSlack) {
  HostPool pool({.slack_bytes = 4 * kMiB});
  std::mt19937 random(1);
  std::vector<std::pair<void*, size_t>> live;
  for (int step = 0; step < 5000; ++step) {
    if (live.size() > 6 || (random() % 2 == 0 && !live.empty())) {
      const size_t index = random() % live.size();
      pool.deallocate(live[index].first, live[index].second, Fence{});
      live.erase(live.begin() + static_cast<long>(index));
    } else {
      const size_t bytes = 40000 + random() % (3 * kMiB);
      live.emplace_back(*pool.allocate(bytes), bytes);
    }
    const HostPoolStatistics statistics = pool.statistics();
    ASSERT_LE(statistics.in_use_bytes + statistics.kept_bytes, statistics.peak_bytes + 4 * kMiB);
  }
  for (const auto& [pointer, bytes] : live) {
    pool.deallocate(pointer, bytes, Fence{});
  }
}

TEST(HostPoolTest, APastPeakIsForgotten) {
  HostPool pool({.slack_bytes = kMiB, .window_requests = 1024});
  void* big = *pool.allocate(100 * kMiB);
  pool.deallocate(big, 100 * kMiB, Fence{});
  EXPECT_GE(pool.statistics().kept_bytes, 100 * kMiB);
  for (int i = 0; i < 3000; ++i) {
    void* small = *pool.allocate(kMiB);
    pool.deallocate(small, kMiB, Fence{});
  }
  EXPECT_LE(pool.statistics().kept_bytes, 2 * kMiB);
}

TEST(HostPoolTest, WhatIsGivenBackLeavesTheProcess) {
  HostPool pool({.slack_bytes = 0});
  const size_t before = resident_bytes();
  void* block = *pool.allocate(64 * kMiB);
  std::memset(block, 1, 64 * kMiB);
  if (!kIsSanitized) {
    EXPECT_GE(resident_bytes(), before + 60 * kMiB);
  }
  pool.deallocate(block, 64 * kMiB, Fence{});
  pool.trim();
  if (!kIsSanitized) {
    EXPECT_LE(resident_bytes(), before + 4 * kMiB);
  }
}

TEST(HostPoolTest, ABlockInUseByAQueueIsKeptAside) {
  const auto device = *SimulatedDevice::create({.eager = false});
  HostPool pool;
  void* block = *pool.allocate(kMiB);
  ASSERT_TRUE(device->submit(0, [] { return ok_status(); }).ok());
  const Fence fence = *device->record(0);
  pool.deallocate(block, kMiB, fence);
  void* other = *pool.allocate(kMiB);
  EXPECT_NE(other, block);
  ASSERT_TRUE(wait(fence).ok());
  EXPECT_EQ(*pool.allocate(kMiB), block);
  pool.deallocate(block, kMiB, Fence{});
  pool.deallocate(other, kMiB, Fence{});
}

TEST(HostPoolTest, SmallRequestsTakeBackWhatAQueueHasFinishedWith) {
  const auto device = *SimulatedDevice::create({.queues = 1, .eager = false});
  HostPool pool;
  for (int i = 0; i < 6; ++i) {
    void* const block = *pool.allocate(300);
    ASSERT_EQ(device->submit(0, [] { return ok_status(); }), ok_status());
    pool.deallocate(block, 300, *device->record(0));
  }
  EXPECT_EQ(pool.statistics().waiting_blocks, 6);
  ASSERT_EQ(device->synchronize(), ok_status());
  for (int i = 0; i < 2; ++i) {
    pool.deallocate(*pool.allocate(300), 300, Fence{});
  }
  EXPECT_EQ(pool.statistics().waiting_blocks, 0);
}

TEST(HostPoolTest, ThePoolEndsAfterWhatUsesItsBlocks) {
  const auto device = *SimulatedDevice::create({.eager = false});
  const size_t before = resident_bytes();
  {
    HostPool pool;
    void* block = *pool.allocate(64 * kMiB);
    std::memset(block, 1, 64 * kMiB);
    ASSERT_TRUE(device->submit(0, [] { return ok_status(); }).ok());
    pool.deallocate(block, 64 * kMiB, *device->record(0));
    EXPECT_EQ(device->pending(), 1);
  }
  EXPECT_EQ(device->pending(), 0) << "the pool went while a queue still used a block";
  if (!kIsSanitized) {
    EXPECT_LE(resident_bytes(), before + 4 * kMiB) << "a block stayed behind";
  }
}

TEST(HostPoolTest, ABufferWaitsForItsReaders) {
  const auto device = *SimulatedDevice::create({.eager = false});
  const auto pool = std::make_shared<HostPool>();
  BufferRef buffer = *Buffer::allocate(kMiB, pool);
  void* block = buffer->data();
  ASSERT_TRUE(device->submit(1, [] { return ok_status(); }).ok());
  ASSERT_TRUE(device->submit(2, [] { return ok_status(); }).ok());
  buffer->set_last_write(*device->record(1));
  buffer->add_reader(*device->record(2));
  buffer.reset();
  void* other = *pool->allocate(kMiB);
  EXPECT_NE(other, block);
  pool->deallocate(other, kMiB, Fence{});
  ASSERT_TRUE(device->synchronize().ok());
}

TEST(HostPoolTest, TheProcessPoolWorksInAForkedChild) {
  void* mine = *host_pool()->allocate(kMiB);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const Result<void*> block = host_pool()->allocate(2 * kMiB);
    if (!block.ok()) {
      _exit(1);
    }
    host_pool()->deallocate(*block, 2 * kMiB, Fence{});
    _exit(0);
  }
  int state = 0;
  wait_for_child(child, &state);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  host_pool()->deallocate(mine, kMiB, Fence{});
}

}  // namespace
}  // namespace forebay::memory
