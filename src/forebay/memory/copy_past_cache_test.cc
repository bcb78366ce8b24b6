#include "forebay/memory/copy_past_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forebay/memory/copy.h"

namespace forebay::memory {
namespace {

TEST(CopyPastCache, CopiesAnyRangeAndCounts) {
  std::vector<uint8_t> source(1000);
  for (size_t i = 0; i < source.size(); ++i) {
    source[i] = static_cast<uint8_t>(i * 7);
  }
  for (const size_t bytes : {0, 1, 63, 64, 65, 200, 500}) {
    for (const size_t shift : {0, 1, 8, 63}) {
      std::vector<uint8_t> destination(800, 0xEE);
      const uint64_t before = bytes_copied();
      copy_past_cache(destination.data() + shift, source.data() + 3, bytes);
      EXPECT_EQ(bytes_copied() - before, bytes);
      EXPECT_TRUE(std::equal(source.begin() + 3, source.begin() + 3 + bytes, destination.begin() + shift));
      EXPECT_EQ(std::count(destination.begin() + shift + bytes, destination.end(), 0xEE),
                800 - shift - bytes);
    }
  }
}

}  // namespace
}  // namespace forebay::memory
