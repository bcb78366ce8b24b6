#include "forebay/codec/jpeg/jpeg_arrays.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "forebay/memory/host/host_pool.h"

namespace forebay::codec {
namespace {

constexpr JDIMENSION kBlocks = 100;
constexpr JDIMENSION kRows = 50;
constexpr uint64_t kArrayBytes = kRows * (kBlocks * sizeof(JBLOCK) + sizeof(JBLOCKROW));

uint64_t in_use_bytes() {
  return memory::process_host_pool().statistics().in_use_bytes;
}

bool is_zero(JBLOCKROW row) {
  const JCOEF* const first = row[0];
  return std::all_of(first, first + kBlocks * DCTSIZE2, [](JCOEF value) { return value == 0; });
}

TEST(JpegArraysTest, AreZeroAlsoInMemoryThatWasUsedBefore) {
  for (int image = 0; image < 2; ++image) {
    JpegArrays arrays;
    const jvirt_barray_ptr array = arrays.request(kBlocks, kRows);
    ASSERT_TRUE(arrays.realize(kArrayBytes));
    const JBLOCKARRAY rows = JpegArrays::rows(array, 0, kRows);
    for (JDIMENSION row = 0; row < kRows; ++row) {
      ASSERT_TRUE(is_zero(rows[row])) << row;
      std::fill_n(rows[row][0], kBlocks * DCTSIZE2, JCOEF{-1});
    }
  }
}

TEST(JpegArraysTest, GiveTheRowsThatThereAre) {
  JpegArrays arrays;
  const jvirt_barray_ptr array = arrays.request(kBlocks, kRows);
  EXPECT_EQ(JpegArrays::rows(array, 0, 1), nullptr);  // not allocated yet
  ASSERT_TRUE(arrays.realize(kArrayBytes));
  EXPECT_EQ(JpegArrays::rows(array, 7, 2)[0], JpegArrays::rows(array, 0, kRows)[7]);
  EXPECT_NE(JpegArrays::rows(array, kRows - 1, 1), nullptr);
  EXPECT_EQ(JpegArrays::rows(array, kRows - 1, 2), nullptr);
  EXPECT_EQ(JpegArrays::rows(array, 2, 0xffffffff), nullptr);
}

TEST(JpegArraysTest, AreBoundedTogetherAndGivenBack) {
  const uint64_t before = in_use_bytes();
  JpegArrays arrays;
  arrays.request(kBlocks, kRows);
  arrays.request(kBlocks, kRows);
  EXPECT_FALSE(arrays.realize(2 * kArrayBytes - 1));
  EXPECT_TRUE(arrays.realize(2 * kArrayBytes));
  EXPECT_GT(in_use_bytes(), before);
  arrays.clear();
  EXPECT_EQ(in_use_bytes(), before);
  for (int i = 0; i < MAX_COMPONENTS; ++i) {
    EXPECT_NE(arrays.request(1, 1), nullptr);
  }
  EXPECT_EQ(arrays.request(1, 1), nullptr);
}

}  // namespace
}  // namespace forebay::codec
