#include "forebay/codec/exif_orientation.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "forebay/codec/testing/exif_block.h"

namespace forebay::codec {
namespace {

TEST(ExifOrientationTest, ReadsBothByteOrders) {
  for (const bool is_big_endian : {false, true}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const auto block = testing::exif_block(orientation, is_big_endian);
      EXPECT_EQ(exif_orientation_of(std::as_bytes(std::span(block))), orientation);
    }
  }
}

/// EXIF asks for a SHORT, and some writers store a LONG.
TEST(ExifOrientationTest, MayBeStoredAsALong) {
  for (const bool is_big_endian : {false, true}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const auto block = testing::long_exif_block(static_cast<uint32_t>(orientation), is_big_endian);
      EXPECT_EQ(exif_orientation_of(std::as_bytes(std::span(block))), orientation);
    }
    const auto large = testing::long_exif_block(0x10006, is_big_endian);
    EXPECT_EQ(exif_orientation_of(std::as_bytes(std::span(large))), 1);
    const auto negative = testing::long_exif_block(0xFFFFFFFF, is_big_endian);
    EXPECT_EQ(exif_orientation_of(std::as_bytes(std::span(negative))), 1);
  }
}

TEST(ExifOrientationTest, BrokenMetadataIsUpright) {
  const auto block = testing::exif_block(6, true);
  for (size_t size = 0; size < 20; ++size) {
    EXPECT_EQ(exif_orientation_of(std::as_bytes(std::span(block)).first(size)), 1) << size;
  }
  for (const int value : {0, 9, 200}) {
    const auto wrong = testing::exif_block(value, false);
    EXPECT_EQ(exif_orientation_of(std::as_bytes(std::span(wrong))), 1);
  }
  auto far = testing::exif_block(6, true);
  far[4] = 0xFF;  // the directory is outside the block
  EXPECT_EQ(exif_orientation_of(std::as_bytes(std::span(far))), 1);
}

TEST(ExifOrientationTest, WalkVisitsEachPixelOnce) {
  const ImageSize stored{3, 5};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const PixelWalk walk = pixel_walk(orientation, stored);
    std::set<int64_t> places;
    for (int64_t y = 0; y < stored.height; ++y) {
      for (int64_t x = 0; x < stored.width; ++x) {
        places.insert(walk.origin + y * walk.step_y + x * walk.step_x);
      }
    }
    EXPECT_EQ(places.size(), 15u) << orientation;
    EXPECT_EQ(*places.begin(), 0) << orientation;
    EXPECT_EQ(*places.rbegin(), 14) << orientation;
  }
}

/// EXIF's wording: "6: the 0th row is the right-hand side, the 0th column is the top", and so on.
TEST(ExifOrientationTest, FirstPixelLiesWhereExifSays) {
  const ImageSize stored{3, 5};
  const int64_t first_pixel[] = {0, 4, 14, 10, 0, 2, 14, 12};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(pixel_walk(orientation, stored).origin, first_pixel[orientation - 1]) << orientation;
  }
}

}  // namespace
}  // namespace forebay::codec
