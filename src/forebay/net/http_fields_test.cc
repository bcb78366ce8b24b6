#include "forebay/net/http_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "forebay/base/units.h"

namespace forebay::net {
namespace {

TEST(HttpFields, Decimals) {
  EXPECT_EQ(parse_decimal("0"), 0u);
  EXPECT_EQ(parse_decimal("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x1", "18446744073709551616"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
  }
}

TEST(HttpFields, ContentRanges) {
  const std::optional<ContentRange> range = parse_content_range("bytes 5-9/20");
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->has_range);
  EXPECT_EQ(range->first, 5u);
  EXPECT_EQ(range->last, 9u);
  EXPECT_EQ(range->length_bytes(), 5u);
  EXPECT_EQ(range->size_bytes, 20u);
  EXPECT_EQ(parse_content_range("bytes 5-9/*")->size_bytes, std::nullopt);
  EXPECT_FALSE(parse_content_range("bytes */7")->has_range);
  EXPECT_EQ(parse_content_range("bytes */7")->size_bytes, 7u);
  for (const char* text :
       {"", "bytes", "bytes ", "bytes 5-9", "bytes 9-5/20", "bytes 5-20/20", "bytes */*", "items 5-9/20",
        "bytes 5-/20", "bytes -9/20", "bytes 5-9/x", "bytes 5-9/20/3", "bytes 0-18446744073709551615/*"}) {
    EXPECT_FALSE(parse_content_range(text)) << text;
  }
}

TEST(HttpFields, Dates) {
  for (const char* text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    EXPECT_EQ(parse_http_date(text), 784111777) << text;
  }
  EXPECT_EQ(parse_http_date(""), std::nullopt);
  EXPECT_EQ(parse_http_date("soon"), std::nullopt);
  EXPECT_EQ(parse_http_date(std::string(1000, '1')), std::nullopt);
}

TEST(HttpFields, RetryAfter) {
  EXPECT_EQ(parse_retry_after("120", 0), 120 * kSecond);
  EXPECT_EQ(parse_retry_after("99999999999999999999999", 0), 3600 * kSecond);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 784111777 - 5), 5 * kSecond);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 784111777 + 5), 0);
  EXPECT_EQ(parse_retry_after("-3", 0), std::nullopt);
  EXPECT_EQ(parse_retry_after("", 0), std::nullopt);
}

TEST(HttpFields, EntityTags) {
  EXPECT_TRUE(is_strong_etag("\"abc\""));
  EXPECT_TRUE(is_strong_etag("\"\""));
  EXPECT_TRUE(is_weak_etag("W/\"abc\""));
  for (const char* text : {"", "\"", "abc", "\"a\"b\"", "W/\"a\"", "\"a b\"", "\"a\nb\""}) {
    EXPECT_FALSE(is_strong_etag(text)) << text;
  }
}

}  // namespace
}  // namespace forebay::net
