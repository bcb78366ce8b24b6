// The file of a whole object, asked for by way of a cache's store.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/units.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/cache/testing/open_when_free.h"
#include "forebay/cache/testing/patterned.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::cache {
namespace {

using storage::ObjectStat;
using storage::ReadBytes;

class WholeFilesTest : public ::testing::Test {
 protected:
  WholeFilesTest() { open(); }
  ~WholeFilesTest() override { cache_->close(); }
  void open(bool has_directory = true) {
    CacheOptions options;
    if (has_directory) {
      options.directories = {{.path = directory_ / "cache", .quota_bytes = 64 * kMiB, .least_free_bytes = 0}};
    }
    cache_ = testing::open_when_free(options);
    store_ = store_over(cache_, memory_, {.clock = &clock_});
  }
  void reopen(bool has_directory = true) {
    cache_->close();
    cache_.reset();
    store_.reset();
    open(has_directory);
  }
  ObjectStat put(const std::string& key, size_t bytes) {
    return *storage::write_now(*memory_, key, bytes_of(testing::patterned(bytes)));
  }
  /// As a file system reads that one asks for pieces of a version.
  void read_in_pieces(const ObjectStat& stat) {
    for (uint64_t at = 0; at < stat.size_bytes; at += kMiB) {
      ASSERT_TRUE(storage::read_now(*store_, {.key = stat.key,
                                              .offset_bytes = at,
                                              .length_bytes = std::min<uint64_t>(kMiB, stat.size_bytes - at),
                                              .if_version = stat.version,
                                              .object_bytes = stat.size_bytes})
                      .ok());
    }
    cache_->flush();
  }
  std::shared_ptr<const FileDescriptor> file_of(const ObjectStat& stat) {
    Result<ReadBytes> whole = storage::read_now(*store_, {.key = stat.key,
                                                          .length_bytes = stat.size_bytes,
                                                          .if_version = stat.version,
                                                          .only_resident = true,
                                                          .wants_file = true,
                                                          .object_bytes = stat.size_bytes});
    return whole.ok() ? whole->file : nullptr;
  }
  static std::string content_in(const FileDescriptor& file, size_t bytes) {
    std::string content(bytes + 1, '\0');
    content.resize(
        static_cast<size_t>(std::max<ssize_t>(::pread(file.get(), content.data(), bytes + 1, 0), 0)));
    return content;
  }

  const TemporaryDirectory directory_;
  const SteppedClock clock_;
  const std::shared_ptr<storage::MemoryStore> memory_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<Cache> cache_;
  std::shared_ptr<storage::ObjectStore> store_;
};

TEST_F(WholeFilesTest, WhatIsReadInWholePiecesIsAFileInTheEnd) {
  const ObjectStat stat = put("k", 3 * kMiB + 77);
  EXPECT_EQ(file_of(stat), nullptr);
  read_in_pieces(stat);
  const std::shared_ptr<const FileDescriptor> file = file_of(stat);
  ASSERT_TRUE(file);
  EXPECT_EQ(content_in(*file, stat.size_bytes), testing::patterned(stat.size_bytes));
  EXPECT_EQ(cache_->statistics().misses, 4u) << "who asks for a file reads nothing";
}

TEST_F(WholeFilesTest, WhatAnEarlierRunKeptIsComparedFirst) {
  const ObjectStat stat = put("k", 3 * kMiB);
  read_in_pieces(stat);
  reopen();
  const std::shared_ptr<const FileDescriptor> file = file_of(stat);
  ASSERT_TRUE(file);
  EXPECT_EQ(content_in(*file, stat.size_bytes), testing::patterned(stat.size_bytes));
}

TEST_F(WholeFilesTest, NoFileIsThereOfASmallObjectOrInMemoryAlone) {
  const ObjectStat small = put("small", kMiB);
  read_in_pieces(small);
  EXPECT_EQ(file_of(small), nullptr);
  reopen(/*has_directory=*/false);
  const ObjectStat large = put("large", 3 * kMiB);
  read_in_pieces(large);
  EXPECT_EQ(file_of(large), nullptr);
}

}  // namespace
}  // namespace forebay::cache
