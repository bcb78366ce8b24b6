#include "forebay/engine/graph/block_cache.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "forebay/base/sanitizers.h"

namespace forebay::engine {
namespace {

// The sanitizers track blocks by the thread that took and gave them.
constexpr bool kKeepsBlocks = !kIsSanitized;

constexpr size_t kBlockBytes = 448;  // a size that the engine itself does not use

std::vector<void*> take(size_t count, size_t bytes) {
  std::vector<void*> blocks;
  for (size_t i = 0; i < count; ++i) {
    blocks.push_back(take_block(bytes));
    std::memset(blocks.back(), 0xab, bytes);
  }
  return blocks;
}

void give(const std::vector<void*>& blocks, size_t bytes) {
  for (void* block : blocks) {
    give_block(block, bytes);
  }
}

TEST(BlockCacheTest, BlocksAreAlignedAndApart) {
  for (const size_t bytes : {1, 64, 65, 200, 512, 513, 5000}) {
    const std::vector<void*> blocks = take(500, bytes);
    std::set<uintptr_t> begins;
    for (void* block : blocks) {
      const auto begin = reinterpret_cast<uintptr_t>(block);
      EXPECT_EQ(begin % 64, 0);
      const auto next = begins.insert(begin).first;
      EXPECT_TRUE(std::next(next) == begins.end() || *std::next(next) - begin >= bytes);
      EXPECT_TRUE(next == begins.begin() || begin - *std::prev(next) >= bytes);
    }
    give(blocks, bytes);
  }
}

TEST(BlockCacheTest, OneThreadTakesAndAnotherGives) {
  std::vector<void*> blocks = take(1000, kBlockBytes);
  std::thread([&] { give(blocks, kBlockBytes); }).join();
  const size_t bytes = block_bytes();
  blocks = take(1000, kBlockBytes);
  EXPECT_EQ(block_bytes(), bytes) << "the blocks of a thread that has ended go to others";
  give(blocks, kBlockBytes);
}

TEST(BlockCacheTest, TrimmingGivesPagesBackAndKeepsBlocksInUse) {
  if (!kKeepsBlocks) {
    GTEST_SKIP() << "blocks are not kept under this sanitizer";
  }
  constexpr size_t kBlocks = 20000;
  const size_t before = block_bytes();
  std::vector<void*> blocks = take(kBlocks, kBlockBytes);
  void* const kept = blocks.back();
  blocks.pop_back();
  EXPECT_GE(block_bytes() - before, kBlocks * kBlockBytes - (size_t{1} << 20));
  give(blocks, kBlockBytes);
  trim_blocks(size_t{1} << 20);
  EXPECT_LE(block_bytes(), before + (size_t{3} << 20));
  EXPECT_EQ(*static_cast<unsigned char*>(kept), 0xab) << "its pages are there";
  blocks = take(kBlocks, kBlockBytes);
  give(blocks, kBlockBytes);
  give_block(kept, kBlockBytes);
}

}  // namespace
}  // namespace forebay::engine
