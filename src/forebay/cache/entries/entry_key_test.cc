#include "forebay/cache/entries/entry_key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace forebay::cache {
namespace {

constexpr uint64_t kKeyLow = 0x0706050403020100u;
constexpr uint64_t kKeyHigh = 0x0f0e0d0c0b0a0908u;

std::string counting_bytes(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text.push_back(static_cast<char>(i));
  }
  return text;
}

// From the authors' reference implementation, vectors_sip128.
TEST(EntryKey, HashesAsPublished) {
  const ObjectId none = siphash128(kKeyLow, kKeyHigh, "");
  EXPECT_EQ(none.low, 0xe6a825ba047f81a3u);
  EXPECT_EQ(none.high, 0x930255c71472f66du);
  const ObjectId fifteen = siphash128(kKeyLow, kKeyHigh, counting_bytes(15));
  EXPECT_EQ(fifteen.low, 0x11a8b03399e99354u);
  EXPECT_EQ(fifteen.high, 0xd9c3cf970fec087eu);
}

TEST(EntryKey, UriAndVersionAreKeptApart) {
  EXPECT_NE(object_id("ab", "c"), object_id("a", "bc"));
  EXPECT_NE(object_id("a", ""), object_id("", "a"));
  EXPECT_NE(object_id(std::string("a\0b", 3), "v"), object_id("a", std::string("\0bv", 3)));
  EXPECT_EQ(object_id("a", "b"), object_id("a", "b"));
}

TEST(EntryKey, ChunksOfOneObjectSpread) {
  std::set<uint64_t> low_bits;
  for (uint64_t chunk = 0; chunk < 4096; ++chunk) {
    low_bits.insert(EntryKey{object_id("s3://b/k", "v"), chunk << 20}.hash() & 0xffff);
  }
  EXPECT_GT(low_bits.size(), 3800u);  // 3,970 are expected of 4,096 random values
}

}  // namespace
}  // namespace forebay::cache
