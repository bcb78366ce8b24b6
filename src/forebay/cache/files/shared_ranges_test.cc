#include "forebay/cache/files/shared_ranges.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::cache {
namespace {

class SharedRangesTest : public ::testing::Test {
 protected:
  bool is_found(size_t offset, size_t size) const {
    return ranges_.find({memory_.data() + offset, size}).has_value();
  }

  std::array<std::byte, 100> memory_{};
  SharedRanges ranges_;
};

TEST_F(SharedRangesTest, BytesLieWhollyInOneRange) {
  const uint64_t first = ranges_.add({memory_.data() + 10, 40}, "first", -1);
  ranges_.add({memory_.data() + 50, 20}, "second", -1);
  EXPECT_TRUE(is_found(10, 40));
  EXPECT_TRUE(is_found(49, 1));
  EXPECT_FALSE(is_found(9, 2));
  EXPECT_FALSE(is_found(49, 2));
  const std::optional<SharedPlace> place = ranges_.find({memory_.data() + 15, 5});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->range, first);
  EXPECT_EQ(place->range_bytes, 40u);
  EXPECT_EQ(place->offset_bytes, 5u);
}

// Memory behind a range is often mapped right at its end, and is something else.
TEST_F(SharedRangesTest, WhatBeginsAtAnEndIsInNoRange) {
  ranges_.add({memory_.data() + 10, 40}, "first", -1);
  EXPECT_TRUE(is_found(10, 0));
  EXPECT_TRUE(is_found(49, 0));
  EXPECT_FALSE(is_found(50, 0));
  EXPECT_FALSE(is_found(50, 1));
  EXPECT_FALSE(is_found(9, 0));
}

TEST_F(SharedRangesTest, AnotherFileInTheSamePlaceIsNotHandedOut) {
  const TemporaryDirectory directory;
  const std::string path = directory / "mapped";
  std::ofstream(path) << "mapped";
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const uint64_t range = ranges_.add({memory_.data(), 6}, path, file.get());
  EXPECT_TRUE(ranges_.open(range).ok());
  std::filesystem::rename(path, directory / "moved");
  EXPECT_FALSE(ranges_.open(range).ok());
  std::ofstream(path) << "another";
  EXPECT_EQ(ranges_.open(range).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace forebay::cache
