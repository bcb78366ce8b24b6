#include "forebay/dataset/index/scan_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/dataset/webdataset/webdataset_source.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::tar_archive;

/// Keeps no side data, as stores across a network do not.
class RemoteBucket final : public storage::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  explicit RemoteBucket(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  Result<storage::ObjectAddress> derived(std::string_view, std::string_view, std::string_view) override {
    return unimplemented("far");
  }
};

class ScanFolderTest : public ::testing::Test {
 protected:
  ScanFolderTest() {
    registry_.mount("mem://set/", std::make_shared<RemoteBucket>(set_.store));
    for (const std::string name : {"a", "b", "c"}) {
      paths_.push_back(
          set_.put(name + ".tar", tar_archive({{name + "1.jpg", name}, {name + "2.jpg", name}})));
    }
  }
  Result<std::shared_ptr<Source>> open(const std::string& index_file) {
    set_.store->forget_reads();
    progress_.clear();
    WebdatasetOptions options;
    options.paths = paths_;
    options.ext = {"jpg"};
    options.index_file = index_file;
    options.registry = &registry_;
    options.progress = [this](const IndexProgress& now) {
      if (progress_.empty() || progress_.back().first != now.shards_done) {  // also told at times
        progress_.emplace_back(now.shards_done, now.samples);
      }
    };
    return make_webdataset_source(options);
  }
  std::vector<uint64_t> scans() const {
    return {set_.store->read_count("a.tar"), set_.store->read_count("b.tar"),
            set_.store->read_count("c.tar")};
  }
  size_t left_beside(const std::string& index) {
    return storage::list_all_now(*set_.store, {.prefix = index + ".scan/"})->objects.size();
  }

  testing::MemorySet set_;
  storage::StoreRegistry registry_;
  std::vector<std::string> paths_;
  std::vector<std::pair<size_t, uint64_t>> progress_;
};

TEST_F(ScanFolderTest, AnInterruptedScanIsGoneOnWith) {
  set_.store->fail_reads("c.tar", unavailable("mem://set/c.tar: gone"), 1);
  EXPECT_THAT(std::string(message(open("mem://set/x.index").status())), HasSubstr("c.tar"));
  EXPECT_EQ(left_beside("x.index"), 2u);
  const Result<std::shared_ptr<Source>> source = open("mem://set/x.index");
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->size(), 6);
  EXPECT_THAT(scans(), ElementsAre(0, 0, 1));
  EXPECT_EQ(left_beside("x.index"), 0u);
}

TEST_F(ScanFolderTest, AShardThatChangedMeanwhileIsScannedAgain) {
  set_.store->fail_reads("c.tar", unavailable("mem://set/c.tar: gone"), 1);
  EXPECT_FALSE(open("mem://set/x.index").ok());
  set_.put("a.tar", tar_archive({{"new.jpg", "new"}}));
  const Result<std::shared_ptr<Source>> source = open("mem://set/x.index");
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->size(), 5);
  EXPECT_THAT(scans(), ElementsAre(1, 0, 1));
}

TEST_F(ScanFolderTest, TheFolderBesideAFileGoesWithTheScan) {
  const TemporaryDirectory directory;
  const std::string index = directory / "x.index";
  set_.store->fail_reads("c.tar", unavailable("mem://set/c.tar: gone"), 1);
  EXPECT_FALSE(open(index).ok());
  EXPECT_TRUE(std::filesystem::exists(index + ".scan"));
  ASSERT_TRUE(open(index).ok());
  EXPECT_THAT(scans(), ElementsAre(0, 0, 1));
  EXPECT_FALSE(std::filesystem::exists(index + ".scan"));
}

TEST_F(ScanFolderTest, WhatOthersPutIntoTheFolderStays) {
  const TemporaryDirectory directory;
  const std::filesystem::path index = directory / "x.index";
  const std::filesystem::path folder = directory / "x.index.scan";
  std::filesystem::create_directories(folder / "slices");
  for (const char* name : {"a.dcm", "slices/shard-0123456789abcdef", "notes-0123456789abcdeg", ".hidden"}) {
    std::ofstream(folder / name) << "theirs";
  }
  std::ofstream(folder / ".forebay-tmp-0123456789abcdef0123456789abcdef") << "half written";
  std::ofstream(folder / "shard-00000000000000aa-0123456789abcdef") << "of a shard that is gone";
  ASSERT_TRUE(open(index).ok());
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    left.insert(entry.path().lexically_relative(folder));
  }
  EXPECT_THAT(left, ElementsAre(".hidden", "a.dcm", "notes-0123456789abcdeg", "slices",
                                "slices/shard-0123456789abcdef"));
}

TEST_F(ScanFolderTest, WhatIsHalfWrittenGoesWithTheFolder) {
  const TemporaryDirectory directory;
  const std::filesystem::path folder = directory / "x.index.scan";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / ".forebay-tmp-0123456789abcdef0123456789abcdef") << "half written";
  ASSERT_TRUE(open(directory / "x.index").ok());
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(ScanFolderTest, ProgressIsToldShardByShard) {
  ASSERT_TRUE(open("mem://set/x.index").ok());
  EXPECT_THAT(progress_, ElementsAre(std::pair(1, 2), std::pair(2, 4), std::pair(3, 6)));
  ASSERT_TRUE(open("mem://set/x.index").ok());
  EXPECT_TRUE(progress_.empty());  // there was nothing to make
}

TEST_F(ScanFolderTest, AnIndexInMemoryLeavesNothing) {
  ASSERT_TRUE(open("").ok());
  EXPECT_EQ(storage::list_all_now(*set_.store, {})->objects.size(), 3u);
}

}  // namespace
}  // namespace forebay::dataset
