#include "forebay/fuse/files/url_names.h"

#include <gtest/gtest.h>

#include "forebay/storage/memory/memory_store.h"

namespace forebay::fuse {
namespace {

TEST(UrlNames, AreOnePartOfAUrl) {
  for (const char* const name : {"a", "a%20b", "%41", "100%", "%zz", "...", "%2e%2e%2e", "a%", "%4"}) {
    EXPECT_TRUE(is_url_name(name)) << name;
  }
  for (const char* const name :
       {"a?b", "?", "a#b", "%2e", "%2E%2e", ".%2e", "a%2fb", "%2F", "%2f%zz", "%00", "a%00b"}) {
    EXPECT_FALSE(is_url_name(name)) << name;
  }
}

TEST(UrlNames, AreNotThoseOfOtherStores) {
  EXPECT_FALSE(has_url_names(storage::MemoryStore()));
}

}  // namespace
}  // namespace forebay::fuse
