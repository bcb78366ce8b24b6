#include "forebay/control/cache_places.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::control {
namespace {

/// Each test has a mount table of its own.
class CachePlacesTest : public ::testing::Test {
 protected:
  CachePlacesTest() { ::setenv("FOREBAY_MOUNTS", (directory_ / "mounts.json").c_str(), 1); }
  ~CachePlacesTest() override { ::unsetenv("FOREBAY_MOUNTS"); }

  void mount(const std::string& path, const std::string& uri) {
    mounts_ += fmt::format(R"({}{{"path": "{}", "uri": "{}"}})", mounts_.empty() ? "" : ", ", path, uri);
    std::ofstream(directory_ / "mounts.json") << R"({"mounts": [)" << mounts_ << "]}";
  }

  static std::vector<std::string> uris(const CachePlaces& places) {
    std::vector<std::string> all;
    for (const CachePlace& place : places) {
      all.push_back(place.uri);
    }
    return all;
  }

  TemporaryDirectory directory_;
  std::string mounts_;
};

using Uris = std::vector<std::string>;

TEST_F(CachePlacesTest, AUriIsItself) {
  const CachePlaces places = *cache_places("https://host/data/a%20b");
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].uri, "https://host/data/a%20b");
  EXPECT_TRUE(places[0].is_cached);
  EXPECT_FALSE(places[0].is_mount);
  EXPECT_FALSE((*cache_places("mem://x"))[0].is_cached);
  EXPECT_EQ(cache_places("nothing://x").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(cached_places("file:///tmp").status().code(), StatusCode::kInvalidArgument);
}

TEST_F(CachePlacesTest, APathIsWhatIsMountedThereAndBelow) {
  mount("/data", "https://host/a");
  mount("/data/x", "https://host/b");
  mount("/data/x/near", "file:///tmp");
  mount("/database", "https://host/c");
  CachePlaces places = *cache_places("/data");
  EXPECT_EQ(uris(places), (Uris{"https://host/a", "https://host/b", "/tmp"}));
  EXPECT_TRUE(places[0].is_mount && places[1].is_mount && places[2].is_mount);
  EXPECT_TRUE(places[0].is_cached && places[1].is_cached && !places[2].is_cached);
  EXPECT_EQ(uris(*cached_places("/data")), (Uris{"https://host/a", "https://host/b"}));
  EXPECT_EQ(uris(*cached_places("forebay:///data/x/")), (Uris{"https://host/b"}));
  places = *cached_places("/data/x/1.jpg");
  EXPECT_EQ(uris(places), Uris{"https://host/b/1.jpg"});
  EXPECT_FALSE(places[0].is_mount);
}

TEST_F(CachePlacesTest, AFolderAboveMountsIsThoseMounts) {
  mount("/far/a", "https://host/a");
  mount("/far/b", "https://host/b");
  EXPECT_EQ(uris(*cached_places("/far")), (Uris{"https://host/a", "https://host/b"}));
  EXPECT_EQ(cached_places("/other").status().code(), StatusCode::kInvalidArgument);
}

// A mount may be one of what is mounted elsewhere.
TEST_F(CachePlacesTest, WhatLiesInAnotherPlaceCountsOnce) {
  mount("/far/a", "https://host/data/train");
  mount("/far/b", "https://host/data");
  mount("/far/c", "https://host/data/");
  mount("/far/d", "https://host/database");
  EXPECT_EQ(uris(without_overlaps(*cached_places("/far"))),
            (Uris{"https://host/data", "https://host/database"}));
}

}  // namespace
}  // namespace forebay::control
