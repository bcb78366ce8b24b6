#include "forebay/fuse/files/directory_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fmt/format.h"
#include "forebay/fuse/protocol/protocol.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/numbered_store.h"

namespace forebay::fuse {
namespace {

using storage::MemoryStore;

std::shared_ptr<MemoryStore> store_of(const std::vector<std::string>& keys) {
  auto store = std::make_shared<MemoryStore>();
  for (const std::string& key : keys) {
    EXPECT_TRUE(storage::write_now(*store, key, {}).ok());
  }
  return store;
}

/// All entries, folders with a slash.
std::vector<std::string> names_in(DirectoryListing& listing, uint64_t first = 0) {
  std::vector<std::string> names;
  for (uint64_t at = first;; ++at) {
    const Result<const ListedEntry*> entry = listing.at(at, {});
    EXPECT_TRUE(entry.ok()) << entry.status();
    if (!entry.ok() || *entry == nullptr) {
      return names;
    }
    names.push_back((*entry)->name + ((*entry)->is_folder ? "/" : ""));
  }
}

TEST(DirectoryListing, HasFilesAndFoldersInOneOrder) {
  const auto store = store_of({"r/b", "r/a/x", "r/a/y", "r/c/z/1", "r/d", "q", "s/t"});
  DirectoryListing listing(store, "r/");
  EXPECT_THAT(names_in(listing), testing::ElementsAre("a/", "b", "c/", "d"));
  EXPECT_THAT(names_in(listing, 2), testing::ElementsAre("c/", "d")) << "back and on again";
  DirectoryListing root(store, "");
  EXPECT_THAT(names_in(root), testing::ElementsAre("q", "r/", "s/"));
  DirectoryListing nothing(store, "x/");
  EXPECT_THAT(names_in(nothing), testing::ElementsAre());
}

TEST(DirectoryListing, LeavesOutWhatNoFileCanBeCalled) {
  const std::string longest(kMaxNameBytes, 'l');
  const auto store =
      store_of({"r/", "r/../up", "r/.", "r/..", "r//x", std::string("r/nul\0here", 10), "r/" + longest,
                "r/" + longest + "l", "r/caf\xe9", "r/line\nbreak", "r/ ", "r/\xff/\xfe"});
  DirectoryListing listing(store, "r/");
  EXPECT_THAT(names_in(listing), testing::ElementsAre(" ", "caf\xe9", "line\nbreak", longest, "\xff/"));
}

TEST(DirectoryListing, AnObjectHidesTheFolderOfItsName) {
  const auto store = store_of({"a", "a!b", "a!b/c", "a-b", "a.txt", "a/x", "b/x", "b0"});
  DirectoryListing listing(store, "");
  EXPECT_THAT(names_in(listing), testing::ElementsAre("a", "a!b", "a-b", "a.txt", "b/", "b0"));
}

TEST(DirectoryListing, AMillionNamesAreListedOnceAndOnlyAPageIsKept) {
  constexpr uint64_t kNames = 1'000'000;
  const auto store =
      std::make_shared<storage::NumberedStore>(kNames, [](uint64_t i) { return fmt::format("d/{:07}", i); });
  DirectoryListing listing(store, "d/");
  for (uint64_t at = 0; at < kNames; ++at) {
    const Result<const ListedEntry*> entry = listing.at(at, {});
    ASSERT_TRUE(entry.ok() && *entry != nullptr) << at;
    ASSERT_EQ((*entry)->stat.version, "v" + std::to_string(at));
    if (at % 999 == 998) {
      ASSERT_TRUE(listing.at(at - 998, {}).ok());  // as the kernel does whose answer was lost
    }
  }
  EXPECT_EQ(*listing.at(kNames, {}), nullptr);
  EXPECT_LE(store->pages(), 1001u);
}

TEST(DirectoryListing, FurtherBackItBeginsAnew) {
  const auto store =
      std::make_shared<storage::NumberedStore>(10'000, [](uint64_t i) { return fmt::format("{:05}", i); });
  DirectoryListing listing(store, "");
  ASSERT_TRUE(listing.at(9'999, {}).ok());
  EXPECT_EQ((**listing.at(5, {})).name, "00005");
  EXPECT_EQ((**listing.at(9'999, {})).name, "09999");
}

TEST(DirectoryListing, WhatWasReadIsReleasedAndNotListedAgain) {
  constexpr uint64_t kNames = 10'000;
  const auto store =
      std::make_shared<storage::NumberedStore>(kNames, [](uint64_t i) { return fmt::format("{:05}", i); });
  DirectoryListing listing(store, "");
  for (uint64_t at = 0; at < kNames; ++at) {
    listing.release_before(at);
    ASSERT_EQ((**listing.at(at, {})).name, fmt::format("{:05}", at));
    ASSERT_LE(listing.entries_held(), 1001u);
  }
  const uint64_t pages = store->pages();
  listing.release_before(kNames);
  EXPECT_EQ(listing.entries_held(), 0u);
  EXPECT_EQ(*listing.at(kNames, {}), nullptr);
  EXPECT_EQ(store->pages(), pages);
  EXPECT_EQ((**listing.at(0, {})).name, "00000");
}

TEST(DirectoryListing, AnErrorIsNotForEver) {
  const auto store = store_of({"a", "b"});
  DirectoryListing listing(store, "");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(listing.at(0, {.cancellation = stop.get_token()}).status().code(), StatusCode::kCancelled);
  EXPECT_THAT(names_in(listing), testing::ElementsAre("a", "b"));
}

}  // namespace
}  // namespace forebay::fuse
