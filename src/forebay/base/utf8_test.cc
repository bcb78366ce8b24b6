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

TEST(Utf8, CountsTheBytesOfTheFirstCharacter) {
  EXPECT_EQ(first_character_bytes(""), 0u);
  EXPECT_EQ(first_character_bytes("ab"), 1u);
  EXPECT_EQ(first_character_bytes("\xC3\xA9t\xFF"), 2u);
  EXPECT_EQ(first_character_bytes("\xF0\x9F\x8C\x8A"), 4u);
  EXPECT_EQ(first_character_bytes("\xF0\x9F\x8C"), 0u);
  EXPECT_EQ(first_character_bytes("\xA9"), 0u);
}

TEST(Utf8, PrintableTextHasNoControlCharactersAndNoBrokenOnes) {
  EXPECT_EQ(printable("a b\xC3\xA9\xE6\xB0\xB4"), "a b\xC3\xA9\xE6\xB0\xB4");
  EXPECT_EQ(printable("\n\x1b[2J\x7f\xC2\x9B\xff\xE6\xB0"), "??[2J??????");
  EXPECT_EQ(printable(""), "");
}

}  // namespace
}  // namespace forebay
