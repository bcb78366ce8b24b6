#include "forebay/cache/client/said_start.h"

#include <gtest/gtest.h>

namespace forebay::cache {
namespace {

TEST(SaidStart, NamesTheProcessThePlaceAndTheQuota) {
  EXPECT_EQ(
      start_text(R"({"daemon": {"pid": 17}, "directories": ["/data/cache"], "quota_bytes": 68719476736})"),
      "the cache's daemon was started, process 17: it keeps what is read of remote data in /data/cache, at "
      "most "
      "64 GiB; FOREBAY_DAEMON=off does without");
  const std::string two =
      start_text(R"({"daemon": {"pid": 1}, "directories": ["/a", "/b"], "quota_bytes": 536870912})");
  EXPECT_NE(two.find("in /a, /b, at most 0.5 GiB"), std::string::npos) << two;
}

TEST(SaidStart, NamesFoldersAsTheyAreWithoutControlCharacters) {
  const std::string text = start_text(
      R"({"daemon": {"pid": 1}, "directories": ["/\u00e9t\u00e9", "/a\u001b[2J\nb"], "quota_bytes": 1})");
  EXPECT_NE(text.find("in /\xC3\xA9t\xC3\xA9, /a?[2J?b, at most"), std::string::npos) << text;
}

TEST(SaidStart, AnOlderDaemonSaysLess) {
  EXPECT_EQ(start_text(R"({"daemon": {"pid": 17}, "quota_bytes": 1})"), "");
  EXPECT_EQ(start_text("no JSON"), "");
}

}  // namespace
}  // namespace forebay::cache
