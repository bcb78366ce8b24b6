#include "forebay/storage/listing/name_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fmt/format.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/listing/snapshot_refresh.h"
#include "forebay/storage/listing/snapshot_store.h"
#include "forebay/storage/testing/numbered_store.h"
#include "forebay/storage/testing/object_store_test_base.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

/// A bucket in memory, and a snapshot of what is below "data/" in it.
class SnapshotTest : public ::testing::Test {
 protected:
  void put(const std::string& key, const std::string& content = "x") {
    ASSERT_TRUE(write_now(*bucket_, key, as_bytes(content)).ok());
  }
  RefreshOutcome refresh() {
    const Result<RefreshOutcome> outcome =
        refresh_snapshot(path_, {.source = bucket_->uri_of("data/")}, listed_entries(*bucket_, "data/"));
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    return outcome.ok() ? *outcome : RefreshOutcome();
  }
  std::shared_ptr<ObjectStore> store() {
    Result<std::shared_ptr<const NameView>> view = NameView::open(path_);
    EXPECT_TRUE(view.ok()) << view.status();
    return std::make_shared<SnapshotStore>(bucket_, "data/", *std::move(view));
  }
  static std::vector<std::string> names(const ListPage& page) {
    std::vector<std::string> names = page.prefixes;
    for (const ObjectStat& object : page.objects) {
      names.push_back(object.key);
    }
    std::ranges::sort(names);
    return names;
  }
  /// What the snapshot lists is what the bucket lists, with every kind of question.
  void expect_same_lists() {
    const std::shared_ptr<ObjectStore> snapshot = store();
    for (const char* const prefix : {"data/", "data/a", "data/a/", "data/f/1", "data/none"}) {
      for (const char* const after : {"", "a", "data/a/", "data/a/b", "data/f/105", "data/f/\xff", "e"}) {
        for (const char* const delimiter : {"", "/"}) {
          for (const size_t page_entries : {0, 3}) {
            const ListRequest request = {
                .prefix = prefix, .delimiter = delimiter, .start_after = after, .page_entries = page_entries};
            const Result<ListPage> expected = list_all_now(*bucket_, request);
            const Result<ListPage> listed = list_all_now(*snapshot, request);
            ASSERT_TRUE(listed.ok()) << listed.status();
            EXPECT_EQ(names(*listed), names(*expected)) << prefix << "|" << after << "|" << delimiter;
          }
        }
      }
    }
  }

  TemporaryDirectory directory_;
  const std::string path_ = directory_ / "names";
  std::shared_ptr<MemoryStore> bucket_ = std::make_shared<MemoryStore>();
};

TEST_F(SnapshotTest, ListsAsTheStoreDoes) {
  for (const char* const key : {"data/a", "data/a/b", "data/a/c/d", "data/a0", "data/z", "other"}) {
    put(key);
  }
  for (int i = 0; i < 200; ++i) {
    put(fmt::format("data/f/{}", i));
  }
  const RefreshOutcome first = refresh();
  EXPECT_EQ(first.objects, 205u);
  EXPECT_EQ(first.added, 205u);
  EXPECT_TRUE(first.is_rewritten);
  expect_same_lists();
}

TEST_F(SnapshotTest, WritesOnlyWhatChanged) {
  for (int i = 0; i < 100; ++i) {
    put(fmt::format("data/f/{}", i));
  }
  refresh();
  const auto written = std::filesystem::last_write_time(path_);
  const RefreshOutcome same = refresh();
  EXPECT_EQ(same.objects, 100u);
  EXPECT_EQ(same.added + same.changed + same.removed, 0u);
  EXPECT_FALSE(std::filesystem::exists(NameView::changes_path(path_)));
  put("data/f/7", "changed");
  put("data/new");
  ASSERT_TRUE(remove_now(*bucket_, "data/f/8").ok());
  const RefreshOutcome next = refresh();
  EXPECT_EQ((std::array{next.objects, next.added, next.changed, next.removed}),
            (std::array<uint64_t, 4>{100, 1, 1, 1}));
  EXPECT_FALSE(next.is_rewritten);
  EXPECT_EQ(std::filesystem::last_write_time(path_), written);
  expect_same_lists();
  EXPECT_EQ(stat_now(*store(), "data/f/7")->size_bytes, 7u);
  EXPECT_EQ(stat_now(*store(), "data/f/8").status().code(), StatusCode::kNotFound);

  put("data/f/8");  // back again: the changes to the base grow smaller
  EXPECT_EQ(refresh().added, 1u);
  expect_same_lists();
  for (int i = 0; i < 50; ++i) {
    put(fmt::format("data/g/{}", i));
  }
  EXPECT_TRUE(refresh().is_rewritten);
  EXPECT_FALSE(std::filesystem::exists(NameView::changes_path(path_)));
  expect_same_lists();
}

TEST_F(SnapshotTest, ChangesToAnotherSnapshotCountForNothing) {
  for (int i = 0; i < 100; ++i) {
    put(fmt::format("data/f/{}", i));
  }
  refresh();
  put("data/new");
  refresh();
  std::filesystem::copy_file(NameView::changes_path(path_), directory_ / "kept");
  ASSERT_TRUE(std::filesystem::remove(path_));
  ASSERT_TRUE(remove_now(*bucket_, "data/new").ok());
  put("data/f/101");
  EXPECT_TRUE(refresh().is_rewritten);  // as a process that was killed before it removed the changes
  std::filesystem::copy_file(directory_ / "kept", NameView::changes_path(path_));
  expect_same_lists();
}

TEST_F(SnapshotTest, AnotherFileIsNotReplaced) {
  put("data/a");
  refresh();
  const Status other =
      refresh_snapshot(path_, {.source = "mem://other"}, listed_entries(*bucket_, "")).status();
  EXPECT_EQ(other.code(), StatusCode::kFailedPrecondition) << other;
  std::filesystem::resize_file(path_, 60);  // damaged
  EXPECT_TRUE(refresh().is_rewritten);
  std::filesystem::resize_file(path_, 0);
  EXPECT_EQ(refresh_snapshot(path_, {}, listed_entries(*bucket_, "data/")).status().code(),
            StatusCode::kAlreadyExists);
}

TEST_F(SnapshotTest, AListingThatFailsLeavesTheSnapshot) {
  put("data/a");
  refresh();
  const auto fails = [](EntrySorter& sorter) {
    EXPECT_TRUE(sorter.add({.key = "half"}).ok());
    return unavailable("the store is down");
  };
  EXPECT_EQ(refresh_snapshot(path_, {.source = bucket_->uri_of("data/")}, fails).status().code(),
            StatusCode::kUnavailable);
  EXPECT_TRUE(stat_now(*store(), "data/a").ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(SnapshotTest, ReadsAreOfTheVersionThatIsKnown) {
  put("data/a", "old"), put("data/b", "same");
  refresh();
  put("data/a", "new"), put("data/c"), put("beside", "there");
  const std::shared_ptr<ObjectStore> snapshot = store();
  EXPECT_EQ(read_now(*snapshot, {.key = "data/a"}).status().code(), StatusCode::kAborted);
  EXPECT_EQ(text_of(*read_now(*snapshot, {.key = "data/b"})), "same");
  const Status absent = read_now(*snapshot, {.key = "data/c"}).status();
  EXPECT_EQ(absent.code(), StatusCode::kNotFound);
  EXPECT_NE(message(absent).find("data/c"), std::string_view::npos);
  EXPECT_EQ(text_of(*read_now(*snapshot, {.key = "beside"})), "there");  // not below the prefix
  EXPECT_TRUE(stat_now(*snapshot, "beside").ok());
  put("data");
  EXPECT_EQ(stat_now(*snapshot, "data").status().code(), StatusCode::kNotFound);  // the folder
  const auto many = read_many_now(*snapshot, {{.key = "data/b"}, {.key = "data/c"}, {.key = "beside"}});
  EXPECT_TRUE(many[0].ok());
  EXPECT_EQ(many[1].status().code(), StatusCode::kNotFound);
  EXPECT_TRUE(many[2].ok());
}

TEST_F(SnapshotTest, HoldsNamesOfAnyBytes) {
  const auto name = [](uint64_t i) {
    return fmt::format("data/{:03}\xff\n/{}{:05}", i / 2000, static_cast<char>(1 + i / 50 % 40), i % 2000);
  };
  NumberedStore store(100'000, name);
  ASSERT_TRUE(refresh_snapshot(path_, {}, listed_entries(store, "data/")).ok());
  const auto view = *NameView::open(path_);
  EXPECT_EQ(view->base()->size(), 100'000u);
  for (uint64_t i = 0; i < 100'000; i += 97) {
    ObjectStat stat;
    ASSERT_TRUE(*view->find(name(i).substr(5), stat));
    EXPECT_EQ(stat.size_bytes, i * 10);
    EXPECT_EQ(stat.version, "v" + std::to_string(i));
  }
}

}  // namespace
}  // namespace forebay::storage
