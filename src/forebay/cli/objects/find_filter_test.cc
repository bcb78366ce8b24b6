#include "forebay/cli/objects/find_filter.h"

#include <gtest/gtest.h>

#include <string>

namespace forebay::cli {
namespace {

constexpr int64_t kNow = 1'800'000'000'000'000'000;

bool fits_size(const std::string& text, uint64_t bytes) {
  FindFilter filter;
  const Status taken = take_size(text, filter);
  EXPECT_TRUE(taken.ok()) << taken;
  return filter.fits({.key = "a", .size_bytes = bytes, .modified_ns = 1, .version = ""});
}

TEST(FindFilter, Sizes) {
  EXPECT_TRUE(fits_size("+1k", 1025));
  EXPECT_FALSE(fits_size("+1k", 1024));
  EXPECT_TRUE(fits_size("-1MiB", (1 << 20) - 1));
  EXPECT_FALSE(fits_size("-1MiB", 1 << 20));
  EXPECT_TRUE(fits_size("7", 7));
  EXPECT_FALSE(fits_size("7", 8));
  FindFilter filter;
  for (const char* const text : {"", "+", "ten", "+-1", "- 1", "-0", "1x", "99999999999999999999"}) {
    EXPECT_EQ(take_size(text, filter).code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(FindFilter, Times) {
  FindFilter filter;
  ASSERT_TRUE(take_newer("1h", kNow, filter).ok());
  EXPECT_EQ(filter.newer_ns, kNow - 3'600'000'000'000);
  for (const char* const text : {"2026-11-23", "2026-11-23 06:40", "2026-11-23T06:40:01"}) {
    ASSERT_TRUE(take_newer(text, kNow, filter).ok()) << text;
    EXPECT_GT(filter.newer_ns, 1'763'700'000'000'000'000) << text;
  }
  for (const char* const text : {"", "yesterday", "2026-13-01", "2126-01-01", "2026-11-23 6"}) {
    EXPECT_EQ(take_newer(text, kNow, filter).code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(FindFilter, Names) {
  FindFilter filter;
  EXPECT_FALSE(filter.needs_stat());
  EXPECT_TRUE(filter.fits_name("a/b"));
  filter.name = "*.j[pn]g";
  EXPECT_FALSE(filter.needs_stat());
  EXPECT_TRUE(filter.fits_name("a/b.jpg"));
  EXPECT_TRUE(filter.fits_name("x/\xff.jng/"));
  EXPECT_FALSE(filter.fits_name("a.jpg/b"));
  EXPECT_FALSE(filter.fits_name(std::string("a\0.jpg", 6)));
}

}  // namespace
}  // namespace forebay::cli
