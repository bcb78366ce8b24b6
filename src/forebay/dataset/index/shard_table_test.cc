#include "forebay/dataset/index/shard_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "forebay/dataset/testing/memory_set.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/dataset/tfrecord/tfrecord_source.h"
#include "forebay/dataset/webdataset/webdataset_source.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/testing/temporary_directory.h"
#include "forebay/storage/testing/weak_store.h"

namespace forebay::dataset {
namespace {

using storage::ObjectAddress;
using testing::tar_archive;
using testing::text_of;

/// Tells the test where derived data is kept.
class SideStore final : public storage::ForwardingStore {
 public:
  explicit SideStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override {
    Result<ObjectAddress> address = inner().derived(key, version, kind);
    if (address.ok()) {
      const std::lock_guard lock(mutex_);
      last_ = *address;
    }
    return address;
  }

  ObjectAddress last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;
  ObjectAddress last_;
};

class ShardTableTest : public ::testing::Test {
 protected:
  ShardTableTest() { registry_.mount("mem://set/", side_); }

  std::string put(const std::string& key, const std::vector<std::pair<std::string, std::string>>& members) {
    return set_.put(key, tar_archive(members));
  }
  WebdatasetOptions options(std::vector<std::string> ext = {"jpg"}) {
    WebdatasetOptions options;
    options.paths = paths_;
    options.ext = std::move(ext);
    options.registry = &registry_;
    return options;
  }
  static std::string texts_of(const Result<std::shared_ptr<Source>>& source) {
    EXPECT_TRUE(source.ok()) << source.status();
    std::string texts;
    for (int64_t i = 0; source.ok() && i < (*source)->size(); ++i) {
      const Result<Record> record = read_now(**source, i);
      texts += record.ok() ? text_of(record->fields[0]) : "!";
    }
    return texts;
  }
  /// What the samples hold, once the shards were opened anew; and how often each was read for that.
  std::string reopen(const WebdatasetOptions& options, const std::vector<uint64_t>& scans) {
    set_.store->forget_reads();
    const Result<std::shared_ptr<Source>> source = make_webdataset_source(options);
    std::vector<uint64_t> reads;
    for (const std::string& path : options.paths) {
      reads.push_back(set_.store->read_count(path.substr(std::string_view("mem://set/").size())));
    }
    EXPECT_EQ(reads, scans);
    return texts_of(source);
  }

  testing::MemorySet set_;
  const std::shared_ptr<SideStore> side_ = std::make_shared<SideStore>(set_.store);
  storage::StoreRegistry registry_;
  std::vector<std::string> paths_ = {put("a.tar", {{"a.jpg", "A"}, {"a.cls", "0"}, {"b.jpg", "B"}}),
                                     put("c.tar", {{"c.jpg", "C"}, {"c.cls", "2"}})};
};

TEST_F(ShardTableTest, AShardIsScannedOnceForEachVersion) {
  EXPECT_EQ(reopen(options(), {1, 1}), "ABC");
  EXPECT_EQ(reopen(options(), {0, 0}), "ABC");
  put("c.tar", {{"d.jpg", "D"}, {"e.jpg", "E"}});
  EXPECT_EQ(reopen(options(), {0, 1}), "ABDE");
  EXPECT_EQ(reopen(options(), {0, 0}), "ABDE");
  WebdatasetOptions named = options();
  named.index_file = "mem://set/side.index";
  EXPECT_EQ(reopen(named, {0, 0}), "ABDE");
}

// Other content may come to have the same version.
TEST_F(ShardTableTest, AShardWhoseVersionProvesNothingIsScannedEachTime) {
  registry_.mount("mem://set/", std::make_shared<storage::WeakStore>(side_));
  EXPECT_EQ(reopen(options(), {1, 1}), "ABC");
  EXPECT_EQ(reopen(options(), {1, 1}), "ABC");
}

TEST_F(ShardTableTest, OtherPartsAreAnotherTable) {
  EXPECT_EQ(reopen(options(), {1, 1}), "ABC");
  EXPECT_EQ(reopen(options({"cls"}), {1, 1}), "02");
  EXPECT_EQ(reopen(options(), {0, 0}), "ABC");
  EXPECT_EQ(reopen(options({"cls"}), {0, 0}), "02");
  WebdatasetOptions whole = options({"cls"});
  whole.missing_component_behavior = MissingComponent::kSkip;
  EXPECT_EQ(reopen(whole, {1, 1}), "02");
}

TEST_F(ShardTableTest, RecordsAreKeptToo) {
  TfrecordOptions records;
  records.path = {set_.put("r.tfrecord", testing::tfrecord(testing::example({})))};
  records.registry = &registry_;
  for (const uint64_t reads : {1, 0}) {
    set_.store->forget_reads();
    const Result<std::shared_ptr<Source>> source = make_tfrecord_source(records);
    ASSERT_TRUE(source.ok()) << source.status();
    EXPECT_EQ((*source)->size(), 1);
    EXPECT_EQ(set_.store->read_count("r.tfrecord"), reads);
  }
}

TEST_F(ShardTableTest, ADamagedTableIsMadeAnew) {
  paths_.resize(1);
  EXPECT_EQ(reopen(options(), {1}), "AB");
  const ObjectAddress place = side_->last();
  const Result<storage::ReadBytes> table = storage::read_now(*place.store, {.key = place.key});
  ASSERT_TRUE(table.ok()) << table.status();
  const std::string whole(reinterpret_cast<const char*>(table->bytes.data()), table->bytes.size());
  for (size_t at = 0; at < whole.size(); at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(storage::write_now(*place.store, place.key, testing::bytes_of(damaged)).ok());
    EXPECT_EQ(reopen(options(), {1}), "AB");
    EXPECT_EQ(reopen(options(), {0}), "AB");
  }
  for (const std::string& other : {std::string(), std::string("not a table"), whole.substr(0, 100)}) {
    ASSERT_TRUE(storage::write_now(*place.store, place.key, testing::bytes_of(other)).ok());
    EXPECT_EQ(reopen(options(), {1}), "AB");
    EXPECT_EQ(reopen(options(), {0}), "AB");
  }
}

TEST_F(ShardTableTest, ATableOfAnotherVersionIsNotTaken) {
  paths_.resize(1);
  EXPECT_EQ(reopen(options(), {1}), "AB");
  const ObjectAddress old_place = side_->last();
  const Result<storage::ReadBytes> old = storage::read_now(*old_place.store, {.key = old_place.key});
  ASSERT_TRUE(old.ok()) << old.status();
  put("a.tar", {{"b.jpg", "B"}, {"b.cls", "0"}, {"a.jpg", "A"}});
  EXPECT_EQ(reopen(options(), {1}), "BA");
  const ObjectAddress place = side_->last();
  ASSERT_NE(place.key, old_place.key);
  ASSERT_TRUE(storage::write_now(*place.store, place.key, old->bytes).ok());
  EXPECT_EQ(reopen(options(), {1}), "BA");
  EXPECT_EQ(reopen(options(), {0}), "BA");
}

TEST_F(ShardTableTest, OfABrokenShardNothingIsKept) {
  const std::string whole = tar_archive({{"a.jpg", "A"}, {"b.jpg", "B"}});
  paths_ = {set_.put("cut.tar", whole.substr(0, 1100))};
  EXPECT_EQ(reopen(options(), {1}), "A!");
  EXPECT_EQ(reopen(options(), {1}), "A!");
}

TEST_F(ShardTableTest, IndexFilesOfUsersAreReadEachTime) {
  paths_.resize(1);
  WebdatasetOptions listed = options();
  listed.index_paths = {set_.put("a.idx", "v1.1 1\njpg 512 1\n")};
  EXPECT_EQ(texts_of(make_webdataset_source(listed)), "A");
  set_.put("a.idx", "v1.1 1\njpg 2560 1\n");
  EXPECT_EQ(texts_of(make_webdataset_source(listed)), "B");
}

class LocalShardTableTest : public ::testing::Test {
 protected:
  void open_store(const std::string& derived_root) {
    registry_.mount("data/", std::make_shared<storage::LocalStore>(storage::LocalStoreOptions{
                                 .root = data_.path(), .derived_root = derived_root}));
    const Result<storage::ObjectAddress> shard = registry_.resolve("data/a.tar");
    for (const char* const name : {"a.tar", "b.tar", "c.tar"}) {
      const std::string archive = tar_archive({{"k.jpg", name}});
      ASSERT_TRUE(storage::write_now(*shard->store, name, testing::bytes_of(archive)).ok());
    }
  }
  Result<std::shared_ptr<Source>> open_shards() const {
    WebdatasetOptions options;
    options.paths = {"data/a.tar", "data/b.tar", "data/c.tar"};
    options.ext = {"jpg"};
    options.registry = &registry_;
    return make_webdataset_source(options);
  }
  static size_t files_in(const std::string& path) {
    const auto is_file = [](const auto& entry) { return entry.is_regular_file(); };
    const std::filesystem::recursive_directory_iterator entries(path);
    return static_cast<size_t>(std::count_if(begin(entries), end(entries), is_file));
  }

  storage::TemporaryDirectory data_;
  storage::TemporaryDirectory side_;
  storage::StoreRegistry registry_;
};

TEST_F(LocalShardTableTest, TablesOfFilesLieInTheCacheAndNeverBesideThem) {
  open_store(side_.path());
  ASSERT_TRUE(open_shards().ok());
  EXPECT_EQ(files_in(side_.path()), 3u);
  EXPECT_EQ(files_in(data_.path()), 3u);
  ASSERT_TRUE(open_shards().ok());
  EXPECT_EQ(files_in(side_.path()), 3u);
}

TEST_F(LocalShardTableTest, APlaceThatCannotBeWrittenToIsOneWarning) {
  open_store("/proc/forebay");
  ::testing::internal::CaptureStderr();
  const Result<std::shared_ptr<Source>> source = open_shards();
  const std::string log = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->size(), 3);
  const size_t first = log.find("tables of shards are not kept");
  ASSERT_NE(first, std::string::npos) << log;
  EXPECT_EQ(log.find("not kept", first + 30), std::string::npos) << log;
}

TEST_F(LocalShardTableTest, ManyMayOpenTheSameShardsAtOnce) {
  open_store(side_.path());
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int again = 0; again < 5; ++again) {
          const Result<std::shared_ptr<Source>> source = open_shards();
          good += source.ok() && (*source)->size() == 3 && read_now(**source, 2).ok();
        }
      });
    }
  }
  EXPECT_EQ(good, 20);
  EXPECT_EQ(files_in(side_.path()), 3u);
}

}  // namespace
}  // namespace forebay::dataset
