// Whole objects of a daemon's cache, in other processes: the file that one lies in, and what can be read
// behind it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/cache/testing/patterned.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::ReadBytes;

class HostWholeFilesTest : public ::testing::Test {
 protected:
  /// An object that is in the daemon's cache.
  storage::ObjectStat put(const std::string& key, size_t bytes) {
    const storage::ObjectStat stat = *write_now(daemon_.upstream(), key, bytes_of(testing::patterned(bytes)));
    EXPECT_TRUE(read_now(*store_, {.key = key, .if_version = stat.version}).ok());
    daemon_.cache().flush();
    return stat;
  }
  Result<ReadBytes> lease(const storage::ObjectStat& stat) {
    return read_now(*store_, {.key = stat.key,
                              .length_bytes = stat.size_bytes,
                              .if_version = stat.version,
                              .only_resident = true,
                              .wants_file = true,
                              .object_bytes = stat.size_bytes});
  }
  static std::string content_in(const FileDescriptor& file, size_t bytes) {
    std::string content(bytes + 1, '\0');
    content.resize(
        static_cast<size_t>(std::max<ssize_t>(::pread(file.get(), content.data(), bytes + 1, 0), 0)));
    return content;
  }

  const TemporaryDirectory directory_;
  HostedCache daemon_{directory_.path()};
  std::shared_ptr<HostStore> store_ = daemon_.new_store();
};

TEST_F(HostWholeFilesTest, AProcessGetsTheFileOfAWholeObject) {
  const storage::ObjectStat stat = put("large", 3 * kMiB + 5);
  for (int round = 0; round < 2; ++round) {  // it comes each time
    const Result<ReadBytes> whole = lease(stat);
    ASSERT_TRUE(whole.ok()) << whole.status();
    ASSERT_TRUE(whole->file);
    EXPECT_EQ(content_in(*whole->file, stat.size_bytes), testing::patterned(stat.size_bytes));
    EXPECT_EQ(storage::text_of(*whole), testing::patterned(stat.size_bytes));
  }
  EXPECT_TRUE(read_now(*store_, {.key = "large", .offset_bytes = 5, .if_version = stat.version}).ok());
}

TEST_F(HostWholeFilesTest, WhatIsNotAllHereHasNone) {
  const storage::ObjectStat stat =
      *write_now(daemon_.upstream(), "part", bytes_of(testing::patterned(3 * kMiB)));
  ASSERT_TRUE(read_now(*store_, {.key = "part", .length_bytes = kMiB + 1, .if_version = stat.version}).ok());
  daemon_.cache().flush();
  // The upstream of these tests lies in memory itself, and answers what it has.
  for (const storage::ObjectStat& each : {stat, put("small", 100'000)}) {
    const Result<ReadBytes> whole = lease(each);
    EXPECT_TRUE(!whole.ok() || whole->file == nullptr) << each.key;
  }
}

// The daemon that comes next compares what it finds with its checksums first.
TEST_F(HostWholeFilesTest, WhatAnEarlierRunKeptIsComparedFirst) {
  const storage::ObjectStat stat = put("large", 3 * kMiB);
  daemon_.stop();
  daemon_.start();
  store_ = daemon_.new_store();
  const Result<ReadBytes> whole = lease(stat);
  ASSERT_TRUE(whole.ok()) << whole.status();
  ASSERT_TRUE(whole->file);
  EXPECT_EQ(content_in(*whole->file, stat.size_bytes), testing::patterned(stat.size_bytes));
}

// Decoders read behind the end, where the file has no page.
TEST_F(HostWholeFilesTest, ZerosCanBeReadBehindTheEndOfAFile) {
  const storage::ObjectStat stat = put("even", 2 * kMiB);
  const Result<ReadBytes> tail = read_now(*store_, {.key = "even",
                                                    .offset_bytes = kMiB / 2,
                                                    .if_version = stat.version,
                                                    .padding_bytes = storage::kDecoderPaddingBytes});
  ASSERT_TRUE(tail.ok()) << tail.status();
  ASSERT_GE(tail->readable_behind, storage::kDecoderPaddingBytes);
  const Bytes behind = {tail->bytes.data() + tail->bytes.size(), storage::kDecoderPaddingBytes};
  EXPECT_TRUE(std::ranges::all_of(behind, [](std::byte each) { return each == std::byte{0}; }));
}

}  // namespace
}  // namespace forebay::cache
