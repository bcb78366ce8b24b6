#include "forebay/base/utf8.h"

#include <gtest/gtest.h>

namespace forebay {
namespace {

TEST(Utf8, TakesWellFormedText) {
  for (const char* text : {"", "plain", "\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xF0\x9F\x8C\x8A and more", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(Utf8, RefusesOtherBytes) {
  for (const char* text :
       {"\xE9t\xE9", "\x80", "\xC3", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
        "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xE2\x28\xA1", "\xFF"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

}  // namespace
}  // namespace forebay
