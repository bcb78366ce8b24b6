#include "forebay/memory/host/host_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "forebay/base/units.h"
#include "forebay/memory/copy.h"

namespace forebay::memory {
namespace {

bool is_all(const void* block, size_t bytes, uint8_t value) {
  const auto* first = static_cast<const uint8_t*>(block);
  return std::all_of(first, first + bytes, [value](uint8_t byte) { return byte == value; });
}

TEST(HostBlocksTest, BlocksAreAlignedAndCounted) {
  HostPool pool;
  HostBlocks blocks(pool);
  std::vector<void*> out;
  uint64_t bytes = 0;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{100}, size_t{32768}, size_t{32769}, 3 * kMiB}) {
    void* const block = blocks.allocate(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kAlignment, 0);
    std::memset(block, 7, size);
    out.push_back(block);
    bytes += size;
  }
  EXPECT_EQ(blocks.statistics().bytes, bytes);
  EXPECT_EQ(blocks.statistics().blocks, out.size());
  EXPECT_GE(pool.statistics().in_use_bytes, 3 * kMiB);
  for (void* block : out) {
    blocks.deallocate(block);
  }
  blocks.deallocate(nullptr);
  EXPECT_EQ(blocks.statistics().bytes, 0);
  EXPECT_EQ(blocks.statistics().blocks, 0);
  EXPECT_EQ(blocks.statistics().peak_bytes, bytes);
  EXPECT_EQ(pool.statistics().in_use_bytes, 0);
}

TEST(HostBlocksTest, ZeroedBlocksAreZeroAlsoWhenTheyWereUsedBefore) {
  HostPool pool;
  HostBlocks blocks(pool);
  for (const size_t size : {size_t{1000}, size_t{100000}, 2 * kMiB}) {
    void* const used = blocks.allocate(size);
    std::memset(used, 9, size);
    blocks.deallocate(used);
    void* const zeroed = blocks.allocate_zeroed(size / 10, 10);
    EXPECT_TRUE(is_all(zeroed, size / 10 * 10, 0)) << size;
    blocks.deallocate(zeroed);
  }
  EXPECT_GE(pool.statistics().hits, 2);
}

TEST(HostBlocksTest, GrowingKeepsTheBeginning) {
  HostPool pool;
  HostBlocks blocks(pool);
  std::mt19937 random(3);
  auto* block = static_cast<uint8_t*>(blocks.reallocate(nullptr, 10));
  size_t bytes = 10;
  std::memset(block, 5, bytes);
  for (int step = 0; step < 200; ++step) {
    const size_t next = 1 + random() % (step % 2 == 0 ? 200000 : 500);
    block = static_cast<uint8_t*>(blocks.reallocate(block, next));
    EXPECT_TRUE(is_all(block, std::min(bytes, next), 5));
    std::memset(block, 5, next);
    bytes = next;
    EXPECT_EQ(blocks.statistics().bytes, bytes);
  }
  blocks.deallocate(block);
  EXPECT_EQ(pool.statistics().in_use_bytes, 0);
}

TEST(HostBlocksTest, GrowingWithinTheRoomOfAClassCopiesNothing) {
  HostPool pool;
  HostBlocks blocks(pool);
  void* const block = blocks.allocate(kMiB + 10);
  const uint64_t before = bytes_copied();
  EXPECT_EQ(blocks.reallocate(block, kMiB + 5000), block);
  EXPECT_EQ(bytes_copied(), before);
  void* const moved = blocks.reallocate(block, 2 * kMiB);
  EXPECT_EQ(bytes_copied(), before + kMiB + 5000);
  blocks.deallocate(moved);
}

TEST(HostBlocksTest, WhatCannotBeHadIsNull) {
  HostPool pool;
  HostBlocks blocks(pool);
  constexpr size_t kMost = std::numeric_limits<size_t>::max();
  EXPECT_EQ(blocks.allocate(kMost), nullptr);
  EXPECT_EQ(blocks.allocate(kMost / 2), nullptr);
  EXPECT_EQ(blocks.allocate_zeroed(kMost / 2, 3), nullptr);
  void* const block = blocks.allocate(100);
  EXPECT_EQ(blocks.reallocate(block, kMost), nullptr);
  EXPECT_EQ(blocks.reallocate(block, kMost / 2), nullptr);
  EXPECT_EQ(blocks.statistics().bytes, 100);
  blocks.deallocate(block);
}

TEST(HostBlocksTest, OtherThreadsMayGiveBack) {
  HostPool pool;
  HostBlocks blocks(pool);
  std::vector<std::thread> threads;
  for (size_t worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&blocks, worker] {
      std::vector<void*> out;
      for (size_t i = 0; i < 500; ++i) {
        out.push_back(blocks.allocate((worker * 37 + i * 331) % 90000));
      }
      std::thread([&] {
        for (void* block : out) {
          blocks.deallocate(block);
        }
      }).join();
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(blocks.statistics().bytes, 0);
  EXPECT_EQ(blocks.statistics().allocations, 2000);
}

}  // namespace
}  // namespace forebay::memory
