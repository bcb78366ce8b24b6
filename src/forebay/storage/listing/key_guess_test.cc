#include "forebay/storage/listing/key_guess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace forebay::storage {
namespace {

std::string guess(const SeenNames& seen, double reach = 16) {
  const std::optional<KeyGuess> found = guess_key(seen, reach);
  return found ? found->key : "none";
}

TEST(KeyGuess, GoesAheadByWhatWasSeenWhereTheEndIsUnknown) {
  EXPECT_EQ(guess({.first = "000000.jpg", .last = "000999.jpg", .count = 1000}).substr(0, 3), "016");
  EXPECT_EQ(guess({.first = "img_0000000", .last = "img_0000999", .count = 1000}).substr(0, 8), "img_0016");
  EXPECT_EQ(guess({.first = "x0000000", .last = "x0000999", .count = 1000}).substr(0, 5), "x0016");
}

TEST(KeyGuess, DividesInTheMiddleOfWhatIsLeft) {
  const SeenNames seen = {.first = "n1000", .last = "n1999", .count = 1000, .end = "n9999"};
  const std::optional<KeyGuess> found = guess_key(seen, 16);
  ASSERT_TRUE(found);
  EXPECT_GT(found->key, "n5");
  EXPECT_LT(found->key, "n7");
  EXPECT_NEAR(found->names_left, 8000, 20);
}

TEST(KeyGuess, KnowsTheAlphabetOfTheNames) {
  const std::string hexadecimal =
      guess({.first = "00ff3a", .last = "01b2c0", .count = 1000, .end = "ffffff"});
  EXPECT_EQ(hexadecimal.substr(0, 1), "8");
  EXPECT_EQ(guess({.first = "aaaa", .last = "aazz", .count = 1000, .end = "zzzz"}).substr(0, 1), "n");
}

TEST(KeyGuess, StaysInTheFolder) {
  const SeenNames seen = {.first = "a/001", .last = "a/999", .count = 1000, .folder = "a/", .end = "b/5"};
  const std::optional<KeyGuess> found = guess_key(seen, 16);
  EXPECT_TRUE(!found || found->key.starts_with("a/999")) << found->key;
}

TEST(KeyGuess, GivesNothingWhereThereIsNoRoom) {
  EXPECT_EQ(guess({.first = "a", .last = "b", .count = 2, .end = std::string("b\0", 2)}), "none");
  EXPECT_EQ(guess({.first = "x9998", .last = "x9999", .count = 2, .end = "x9999 "}), "none");
}

TEST(KeyGuess, MakesNoTextThatIsNotUtf8OfTextThatIs) {
  const std::string last = "\xd0\xb0\xd0\xb1";
  EXPECT_EQ(guess({.first = "\xd0\xb0\xd0\xb0", .last = last, .count = 2, .end = "\xd1\x8f"}), "none");
  EXPECT_NE(guess({.first = "\x80\x10", .last = "\x80\x20", .count = 2, .end = "\xf0\x8f"}), "none");
}

TEST(KeyGuess, GuessesBetweenAnyTwoNames) {
  std::mt19937 random(11);
  const auto draw = [&](size_t most, int first, int last) {
    std::string name;
    for (size_t left = random() % (most + 1); left > 0; --left) {
      name += static_cast<char>(first + static_cast<int>(random() % static_cast<uint32_t>(last - first + 1)));
    }
    return name;
  };
  for (int round = 0; round < 200'000; ++round) {
    const bool is_text = round % 2 == 0;
    std::array<std::string, 3> names;
    for (std::string& name : names) {
      name = is_text ? draw(9, '.', '9') : draw(6, 0, 255);
    }
    std::ranges::sort(names);
    const bool has_end = round % 3 != 0;
    const SeenNames seen = {.first = names[0],
                            .last = names[1],
                            .count = 1000,
                            .end = has_end ? std::optional(names[2]) : std::nullopt};
    const std::optional<KeyGuess> found = guess_key(seen, 16);
    ASSERT_TRUE(!found || found->key > names[1]);
    ASSERT_TRUE(!found || !has_end || found->key < names[2]);
  }
}

}  // namespace
}  // namespace forebay::storage
